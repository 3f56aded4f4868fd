// Settings and phases of rooms in Redis.
#pragma once

#include "adapters/redis/waiting_room/script_runner.h"
#include "base/random.h"
#include "store/admission_log.h"

namespace maejin::redis {

// Thread-safe.
class Operators {
 public:
  // All objects given by reference outlive this one. `random` draws the seeds of pre-queues. `log` records
  // phases.
  Operators(ScriptRunner& runner, Random& random, AdmissionLog& log)
      : runner_(runner), random_(random), log_(log) {}

  // Reads the room, after it was changed to the phase that is due at `now`.
  Task<Outcome<Room*>> Read(RoomId room, Time now);
  // Refuses: kInvalidField.
  Task<Outcome<Room*>> Configure(RoomId room, RoomPatch patch, Time now);
  // Changes the room to the phase that is due.
  Task<Outcome<Done>> StepPhases(RoomId room, Time now);

 private:
  // Gives the room these settings and this phase. False: the room has changed meanwhile; decide again.
  Task<Outcome<bool>> Write(Room* room, RoomSettings settings, RoomState state, Time now);

  ScriptRunner& runner_;
  Random& random_;
  AdmissionLog& log_;
};

}  // namespace maejin::redis
