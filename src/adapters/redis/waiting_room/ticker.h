// The periodic work of a node for its rooms: deadlines, mirrors, signs of life, and records in the database.
#pragma once

#include <functional>
#include <optional>

#include "adapters/redis/client/in_flight_guard.h"
#include "adapters/redis/waiting_room/recovery.h"

namespace maejin::redis {

// One thread calls Tick(); the work runs on the client's thread.
class RoomTicker {
 public:
  using SeatsLeft = std::function<std::optional<std::int64_t>(const RoomId&)>;
  // All objects given by reference outlive this one. `seats_left`: gives the value of seat:count; may be
  // empty.
  RoomTicker(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder,
             Recovery& recovery, SeatsLeft seats_left)
      : client_(client),
        rooms_(rooms),
        runner_(runner),
        recorder_(recorder),
        recovery_(recovery),
        seats_left_(std::move(seats_left)) {}
  // Waits for a running tick.
  ~RoomTicker() {
    ticking_.Close();
    recording_.Close();
  }

  void Tick(Time now);

 private:
  Task<void> TickAll(Time now);
  // Writes records to the database. This is not a part of TickAll(), so that mirrors do not wait for the
  // database.
  Task<void> RecordAll(Time now);
  Task<void> TickRoom(Room* room, Time now);
  // Updates the mirror if the room has changed.
  Task<void> FollowRoom(Room* room, Time now);
  // Writes seat:count where it has changed, and once a second: Redis may have lost it.
  void ShowSeats(Room& room, Time now);
  Task<void> WriteSigns(Room* room, Time now);
  Task<bool> WriteSignsOf(RoomKeys keys, const SignsOfLife::Batch* batch, Millis ttl);
  // Loads the scripts of fans' requests before the first fans come.
  Task<void> LoadScripts();
  // Finds rooms that other nodes have created.
  Task<void> LearnRooms(Time now);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionRecorder& recorder_;
  Recovery& recovery_;
  const SeatsLeft seats_left_;
  bool has_scripts_ = false;  // used by TickAll() only
  Time learn_at_{};           // used by TickAll() only
  Time forget_at_{};          // used by RecordAll() only
  Time ask_at_{};             // used by RecordAll() only
  InFlightGuard ticking_;
  InFlightGuard recording_;
};

}  // namespace maejin::redis
