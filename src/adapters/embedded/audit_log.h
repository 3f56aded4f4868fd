// The operators' actions, one row each, in the chain of domain/audit_chain.h. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/embedded/journal.h"
#include "domain/audit_chain.h"

namespace maejin::embedded {

class AuditLog {
 public:
  // Continues the chain of the database.
  AuditLog(Connection& connection, Journal& journal);

  // Appends `rows`, the entry and the events to the journal, together. The order of the chain is the order of
  // the rows on disk. The feed gets `drafts`, and the events of the action itself.
  Ticket Append(WriteSet& rows, const AuditEntry& entry, std::span<const BookingEvent> events = {},
                std::vector<EventDraft> drafts = {});

  // The id of the first row that is missing or has a wrong hash; absent: the chain is intact.
  static std::optional<std::int64_t> FirstBroken(Connection& connection);

 private:
  Journal& journal_;
  std::mutex mutex_;
  std::int64_t last_id_ = 0;  // guarded by mutex_
  std::string last_hash_;     // guarded by mutex_
};

}  // namespace maejin::embedded
