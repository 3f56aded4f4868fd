// Rooms of the operator's own, return codes and revoked passes of one server: memory decides, SQLite
// remembers.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/waiting_room/rooms.h"
#include "store/site_store.h"

namespace maejin::embedded {

class SiteStore final : public maejin::SiteStore {
 public:
  // Loads used codes and revoked passes. All but `connection` outlive it.
  SiteStore(Connection& connection, Rooms& rooms, Journal& journal, AuditLog& audit, Time now);

  Task<Outcome<Done>> CreateRoom(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  Task<Outcome<Done>> DeleteRoom(RoomId room, std::string actor, Time now) override;
  std::shared_ptr<const SiteSettings> SiteAtOnce(std::string_view room) override;
  Task<Outcome<bool>> UseCode(Id128 code, Time expires_at, Time now) override;
  Task<Outcome<bool>> TakeFloatLease(RoomId room, Millis length, Time now) override;
  Task<Outcome<std::vector<Revocation>>> Revocations(RoomId room, Time now) override;

 private:
  // Absent: the code was used. Otherwise the ticket of its use.
  std::optional<Ticket> Use(const Id128& code, Time expires_at, Time now);

  Rooms& rooms_;
  Journal& journal_;
  AuditLog& audit_;
  std::mutex mutex_;
  std::unordered_map<Id128, Time> used_;  // guarded by mutex_: codes, and when they end
  std::map<RoomId, Time> float_leases_;   // guarded by mutex_: when they end
};

}  // namespace maejin::embedded
