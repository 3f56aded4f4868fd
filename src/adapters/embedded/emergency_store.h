// The emergency controls in the embedded database; all of them are in memory.
#pragma once

#include <map>
#include <mutex>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "store/emergency_table.h"

namespace maejin::embedded {

class EmbeddedEmergencyStore final : public TabledEmergencyStore {
 public:
  // Loads the controls. Journal and log outlive it. Throws SqliteError.
  EmbeddedEmergencyStore(Connection& reader, Journal& journal, AuditLog& audit);

  Task<Outcome<Done>> StartBypass(Bypass bypass, Operator actor) override;
  Task<Outcome<bool>> EndBypass(RoomId room, Operator actor) override;
  Task<Outcome<bool>> SetMaintenance(bool on, Operator actor) override;
  Task<Outcome<Stay>> LetIn(Stay stay) override;
  Task<Outcome<std::optional<Stay>>> FindStay(RoomId room, UserId user, Time now) override;
  Task<Outcome<bool>> EndStay(RoomId room, UserId user, std::optional<StayRevocation> revocation,
                              Time now) override;
  Task<Outcome<std::vector<Stay>>> EndedStays(RoomId room, Time now) override;
  Task<Outcome<Done>> ForgetRoom(RoomId room) override;
  Task<Outcome<Done>> ForgetUser(UserId user) override;
  void Prune(Time now) override;

 private:
  struct Entry {
    Stay stay;
    bool ended = false;
  };
  Task<Outcome<bool>> WhenCommitted(std::optional<Ticket> ticket);
  // Each function decides and appends its rows under mutex_. Absent: nothing changed.
  std::optional<Ticket> AppendEndBypass(const RoomId& room, const Operator& actor);
  std::optional<Ticket> AppendMaintenance(bool on, const Operator& actor);
  Ticket AppendStay(Stay& stay);
  std::optional<Ticket> AppendEndStay(const RoomId& room, const UserId& user,
                                      const std::optional<StayRevocation>& revocation, Time now);

  Journal& journal_;
  AuditLog& audit_;
  mutable std::mutex mutex_;                          // rows are appended in the order of the changes
  std::map<std::pair<RoomId, UserId>, Entry> stays_;  // guarded by mutex_
};

}  // namespace maejin::embedded
