// What a node does for its rooms by itself: deadlines, mirrors, signs of life, and what the database has to
// remember.
#pragma once

#include <functional>
#include <optional>

#include "adapters/redis/client/in_flight_guard.h"
#include "adapters/redis/waiting_room/recovery.h"

namespace maejin::redis {

// Tick() is called by one thread; the rest runs on the client's.
class RoomTicker {
 public:
  using SeatsLeft = std::function<std::optional<std::int64_t>(const RoomId&)>;
  // All outlive it; `log` may be absent. `seats_left`: for seat:count; may be absent.
  RoomTicker(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder,
             Recovery& recovery, AdmissionLog* log, SeatsLeft seats_left)
      : client_(client),
        rooms_(rooms),
        runner_(runner),
        recorder_(recorder),
        recovery_(recovery),
        log_(log),
        seats_left_(std::move(seats_left)) {}
  // Waits for a tick that runs.
  ~RoomTicker() {
    ticking_.Close();
    recording_.Close();
  }

  void Tick(Time now);

 private:
  Task<void> TickAll(Time now);
  // What the database has to remember. Apart: mirrors do not wait for the database.
  Task<void> RecordAll(Time now);
  Task<void> TickRoom(Room* room, Time now);
  // Brings the mirror up to date, where something has changed.
  Task<void> FollowRoom(Room* room, Time now);
  // Writes seat:count where it has changed, and once a second: Redis may have lost it.
  void ShowSeats(Room& room, Time now);
  Task<void> WriteSigns(Room* room, Time now);
  Task<bool> WriteSignsOf(RoomKeys keys, const SignsOfLife::Batch* batch, Millis ttl);
  // Rooms that other nodes have made.
  Task<void> LearnRooms(Time now);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionRecorder& recorder_;
  Recovery& recovery_;
  AdmissionLog* const log_;
  const SeatsLeft seats_left_;
  Time learn_at_{};   // used by TickAll() only
  Time forget_at_{};  // used by RecordAll() only
  InFlightGuard ticking_;
  InFlightGuard recording_;
};

}  // namespace maejin::redis
