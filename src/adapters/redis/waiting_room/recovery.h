// Restores rooms after Redis lost data: rooms and admissions from the database, places from the fans' tokens.
#pragma once

#include <optional>
#include <vector>

#include "adapters/redis/waiting_room/admission_recorder.h"

namespace maejin::redis {

// The epoch of a room that is created at `now`; increases with time.
inline std::uint32_t EpochOf(Time now) { return static_cast<std::uint32_t>(ToMillis(now) / 1000); }

// Thread-safe.
class Recovery {
 public:
  // All outlive it; `log` may be absent. Admission pauses for `hold` after a loss.
  Recovery(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder, AdmissionLog* log,
           Millis hold)
      : client_(client), rooms_(rooms), runner_(runner), recorder_(recorder), log_(log), hold_(hold) {}

  // Creates the room if it is missing: from this node's memory, from the database, or as a new one.
  Task<Outcome<Done>> Create(RoomId room, Time now, RoomState state = RoomState::kOpen);
  // Creates a room that never existed, or was deleted; its epoch is set here. False: the room exists.
  Task<Outcome<bool>> CreateNew(RoomId room, RoomBeginning beginning, Time now);
  // Call before the keys of a room are deleted: afterwards no node restores it, and the database refuses its
  // admissions. A later room of the same name continues its numbers, so that an old token does not look like
  // a loss.
  Task<Outcome<Done>> FenceDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number);
  // Create() for a room that a request names. Refuses: kRoomNotFound (no record of it, or deleted).
  Task<Outcome<Done>> CreateAgain(RoomId room, Time now);
  // Call when another Redis serves the room, or when Redis lacks changes that this node has seen. One
  // coroutine at a time recovers the room; others get kUnavailable.
  Task<Outcome<Done>> Recover(RoomId room, Time now);
  // Restores lost places, except those that the database records as used. Returns how many of them exist now.
  Task<Outcome<std::int64_t>> PutBack(RoomId room, std::vector<PlaceRef> places, Time now);
  // Saves the room and its phase in the database, if it changed.
  Task<void> SaveRoom(Room* room, Time now);

 private:
  // Writes the room to Redis, unless it exists. False: it existed.
  Task<Outcome<bool>> Write(RoomId room, RoomBeginning beginning, Time now);
  // The last room of that name that was deleted; epoch 0: none.
  struct Deleted {
    std::uint32_t epoch = 0;
    PlaceNumber last_number = 0;
  };
  Task<Outcome<Deleted>> FindDeleted(RoomId room);
  // Forgets the room if it was deleted. Refuses: kRoomNotFound (it was).
  Task<Outcome<Done>> ForgetDeleted(RoomId room);
  // Absent: no record of the room.
  Task<std::optional<RoomBeginning>> RememberedRoom(RoomId room);
  Task<Outcome<std::optional<SavedRoom>>> SavedOf(RoomId room);
  // The state with which the room continues.
  struct Continuation {
    std::uint32_t epoch = 0;
    PlaceNumber highest = 0;  // the highest number that may have been given
    PlaceNumber serving = 0;
  };
  // Returns when the database refuses admissions of earlier epochs.
  Task<Outcome<Continuation>> Fence(Room* room, Loss loss, Time now);
  // The arguments of room_epoch.lua: fans inside by the database, and fans that Redis has inside although
  // they left.
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
