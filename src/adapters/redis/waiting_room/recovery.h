// What survives when Redis loses data: rooms and admissions by the database, places by the fans' own tokens.
#pragma once

#include <optional>
#include <vector>

#include "adapters/redis/waiting_room/admission_recorder.h"

namespace maejin::redis {

// The epoch of a room that begins now: later beginnings have higher ones.
inline std::uint32_t EpochOf(Time now) { return static_cast<std::uint32_t>(ToMillis(now) / 1000); }

// Thread-safe.
class Recovery {
 public:
  // All outlive it; `log` may be absent. Admission pauses for `hold` after a loss.
  Recovery(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder, AdmissionLog* log,
           Millis hold)
      : client_(client), rooms_(rooms), runner_(runner), recorder_(recorder), log_(log), hold_(hold) {}

  // Makes the room exist: as the node or the database remembers it, or new.
  Task<Outcome<Done>> Create(RoomId room, Time now, RoomState state = RoomState::kOpen);
  // The same for a room that a request names. Refuses: kRoomNotFound (no memory of it).
  Task<Outcome<Done>> CreateAgain(RoomId room, Time now);
  // Another Redis serves the room than before, or it has forgotten what this node has seen. One coroutine at
  // a time recovers it; the others are refused with kUnavailable.
  Task<Outcome<Done>> Recover(RoomId room, Time now);
  // Puts lost places back, where the database does not say that they were used. Returns how many of them are
  // there now.
  Task<Outcome<std::int64_t>> PutBack(RoomId room, std::vector<PlaceRef> places, Time now);
  // Writes the room to the database as it would have to come back, where that has changed.
  Task<void> SaveRoom(Room* room);

 private:
  // Absent: no memory of the room.
  Task<std::optional<RoomBeginning>> RememberedRoom(RoomId room);
  Task<Outcome<std::optional<SavedRoom>>> SavedOf(RoomId room);
  // How the room goes on.
  struct Continuation {
    std::uint32_t epoch = 0;
    PlaceNumber highest = 0;  // number that may have been given
    PlaceNumber serving = 0;
  };
  // Returns once the database refuses admissions of earlier epochs.
  Task<Outcome<Continuation>> Fence(Room* room, Loss loss, Time now);
  // For room_epoch.lua: fans inside by the database, and those Redis has inside although they left.
  Task<Outcome<ScriptWords>> InsideByDatabase(RoomId room, Loss loss, Time now);
  Task<Outcome<Done>> Restart(Room* room, Loss loss, Time now);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionRecorder& recorder_;
  AdmissionLog* const log_;
  const Millis hold_;
};

}  // namespace maejin::redis
