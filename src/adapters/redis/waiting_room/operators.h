// Settings and phases of rooms in Redis.
#pragma once

#include "adapters/redis/waiting_room/recovery.h"
#include "base/random.h"
#include "store/admission_log.h"

namespace maejin::redis {

// Thread-safe.
class Operators {
 public:
  // All objects given by reference outlive this one. `random` draws the seeds of pre-queues. `log` records
  // phases.
  Operators(ScriptRunner& runner, Random& random, Recovery& recovery, AdmissionLog& log)
      : runner_(runner), random_(random), recovery_(recovery), log_(log) {}

  // Reads the room, after it was changed to the phase that is due at `now`.
  Task<Outcome<Room*>> Read(RoomId room, Time now);
  // The change is in the database when this returns. Refuses: kInvalidField; kUnavailable if the database did
  // not save it (Redis may have the change: repeat it).
  Task<Outcome<Room*>> Configure(RoomId room, RoomPatch patch, Time now);

 private:
  // Gives the room these settings and this phase. False: the room has changed meanwhile; decide again.
  Task<Outcome<bool>> Write(Room* room, RoomSettings settings, RoomState state, Time now);
  // The room, after it was saved in the database.
  Task<Outcome<Room*>> Save(Room* room, Time now);

  ScriptRunner& runner_;
  Random& random_;
  Recovery& recovery_;
  AdmissionLog& log_;
};

}  // namespace maejin::redis
