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

// The newest row of a chain.
struct AuditHead {
  std::int64_t id = 0;  // 0: the chain is empty
  std::string hash;
};

class AuditLog {
 public:
  // Continues the chain of the database.
  AuditLog(Connection& connection, Journal& journal);

  // Appends `rows`, the entry and the events to the journal, together. The order of the chain is the order of
  // the rows on disk. The feed gets `drafts`, and the events that follow from the entry.
  Ticket Append(WriteSet& rows, const AuditEntry& entry, std::span<const BookingEvent> events = {},
                std::vector<EventDraft> drafts = {});

  // The newest appended row, which may not be committed yet.
  AuditHead Head() const;

  // The id of the first row that is missing or has a wrong hash; absent: the chain is intact.
  static std::optional<std::int64_t> FirstBroken(Connection& connection);

 private:
  Journal& journal_;
  mutable std::mutex mutex_;
  AuditHead head_;  // guarded by mutex_
};

}  // namespace maejin::embedded
