// Restores rooms after Redis lost data: rooms and admissions from the database, places from the fans' tokens.
#pragma once

#include <optional>
#include <vector>

#include "adapters/redis/waiting_room/admission_recorder.h"

namespace maejin::redis {

// Thread-safe.
class Recovery {
 public:
  // All objects given by reference outlive this one. Admission pauses for `hold` after a loss.
  Recovery(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder, AdmissionLog& log,
           Millis hold)
      : client_(client), rooms_(rooms), runner_(runner), recorder_(recorder), log_(log), hold_(hold) {}

  struct NewRoom {
    RoomSettings settings;
    RoomState state = RoomState::kOpen;
  };
  // Creates the room if it is missing: from this node's memory, from the database, or as `fresh`. Without
  // `fresh` only `main` is created as new. False: the room exists. Refuses: kRoomNotFound (no record of it,
  // or deleted).
  Task<Outcome<bool>> Create(RoomId room, Time now, std::optional<NewRoom> fresh = {});
  // Call before the keys of a room are deleted: afterwards no node restores it, its admissions have ended in
  // the database, and the database refuses new ones. A later room of the same name continues its numbers, so
  // that an old token does not look like a loss.
  Task<Outcome<Done>> FenceDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number, Time now);
  // Deletes the keys of a fenced room. Refuses: kUnavailable, also if the room has another epoch meanwhile.
  Task<Outcome<Done>> RemoveFenced(RoomId room, std::uint32_t epoch, PlaceNumber last_number, Time now);
  // Call when another Redis serves the room, or when Redis lacks changes that this node has seen. One
  // coroutine at a time recovers the room; others get kUnavailable.
  Task<Outcome<Done>> Recover(RoomId room, Time now);
  // Restores lost places, except those whose slot has ended according to the database. Returns how many of
  // the others are not lost any more.
  Task<Outcome<std::int64_t>> PutBack(RoomId room, std::vector<PlaceRef> places, Time now);
  // Saves the room and its phase in the database, unless the room equals `last`. Newer settings in the
  // database stay. Updates `last`. Refuses: kUnavailable, also if another Redis serves the room by now.
  Task<Outcome<Done>> SaveRoom(Room* room, Time now, SavedRoom* last = nullptr);

 private:
  // Writes the room to Redis, unless it exists. False: it existed.
  Task<Outcome<bool>> Write(RoomRecord record, Time now);
  // Earlier rooms of the same name, as Redis and the database know them; 0: none.
  struct Past {
    std::uint32_t deleted = 0;  // the first epoch after a deleted room
    std::uint32_t saved = 0;    // the epoch of a room that was not deleted
    PlaceNumber last_number = 0;
    std::optional<RoomRecord> record = {};  // of that room, as the database has it
  };
  Task<Outcome<Past>> PastOf(RoomId room);
  // The state with which the room continues.
  struct Continuation {
    std::uint32_t epoch = 0;
    PlaceNumber highest = 0;  // the highest number that may have been given
    PlaceNumber serving = 0;
    RoomRecord newest;  // settings, state and draws: the newest of Redis, this node's memory and the database
  };
  // Refuses: kUnavailable, also if the database has a later epoch.
  Task<Outcome<Done>> Save(SavedRoom room);
  // Makes the database refuse admissions of earlier epochs.
  Task<Outcome<Continuation>> Fence(Room* room, Loss loss, Time now);
  Task<Outcome<Done>> SaveDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number);
  Task<Outcome<std::int64_t>> Remove(RoomId room, std::uint32_t epoch, Time now);
  Task<Outcome<bool>> RemoveDeleted(RoomId name, std::uint32_t epoch, Time now);
  // The arguments of room_epoch.lua: fans that are inside according to the database, and fans that are inside
  // in Redis although the database has the end of their slot. `draws` order the places.
  Task<Outcome<ScriptWords>> InsideByDatabase(Room* room, Loss loss, Draws draws, Time now);
  Task<Outcome<Done>> Restart(Room* room, Loss loss, Time now);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionRecorder& recorder_;
  AdmissionLog& log_;
  const Millis hold_;
};

}  // namespace maejin::redis
