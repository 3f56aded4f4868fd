// The operators' actions in the database, in the chain of domain/audit_chain.h: one chain for all nodes.
#pragma once

#include "adapters/mysql/pool.h"
#include "domain/audit_chain.h"
#include "store/audit_store.h"

namespace maejin::mysql {

// Appends the entry and its events in the running transaction. Call last: the lock of the chain's end is the
// last lock of a transaction.
void AppendAudit(Connection& connection, const AuditEntry& entry);

// The id of the first row that is missing or has a wrong hash. The row of the chain's end (audit_head) shows
// whether the newest rows were removed. Absent: the chain is intact.
std::optional<std::int64_t> FirstBrokenAudit(Connection& connection);

class MysqlAuditStore final : public AuditStore {
 public:
  // The pool outlives it.
  explicit MysqlAuditStore(Pool& pool) : pool_(pool) {}
  Task<Outcome<std::vector<AuditRow>>> Page(std::optional<std::int64_t> before, std::size_t limit) override;
  Task<Outcome<Done>> Record(AuditRow row) override;
  // Appends later, in a transaction of its own. If the database is unreachable, the row is lost and the node
  // writes a log line.
  void Append(AuditRow row);

 private:
  Pool& pool_;
};

}  // namespace maejin::mysql
