// The operators' own rooms, return codes and revoked passes, which many nodes share in Redis.
//
// A deleted room leaves its epoch in `rooms:deleted` and, as a fence, in the database: a node that still
// knows the room forgets it instead of restoring it. Revoked passes are the admissions that the database
// knows as ended, so that a loss of Redis loses none.
#pragma once

#include <functional>

#include "adapters/redis/waiting_room/recovery.h"
#include "store/site_store.h"

namespace maejin::redis {

// Results, refusals and threads as in store/site_store.h.
class SiteStore final : public maejin::SiteStore {
 public:
  using Audit = std::function<void(Time at, const std::string& actor, const std::string& action,
                                   const RoomId& room, const std::string& detail)>;
  // All arguments outlive this object. `audit` may be empty.
  SiteStore(Client& client, Rooms& rooms, ScriptRunner& runner, Recovery& recovery, AdmissionLog& log,
            const Audit& audit)
      : client_(client), rooms_(rooms), runner_(runner), recovery_(recovery), log_(log), audit_(audit) {}

  Task<Outcome<Done>> CreateRoom(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  Task<Outcome<Done>> DeleteRoom(RoomId room, std::string actor, Time now) override;
  std::shared_ptr<const SiteSettings> SiteAtOnce(std::string_view room) override;
  Task<Outcome<bool>> UseCode(Id128 code, Time expires_at, Time now) override;
  Task<Outcome<bool>> TakeFloatLease(RoomId room, Millis length, Time now) override;
  Task<Outcome<std::vector<Revocation>>> Revocations(RoomId room, Time now) override;

 private:
  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  Recovery& recovery_;
  AdmissionLog& log_;
  const Audit& audit_;
};

}  // namespace maejin::redis
