// The port of the audit log over the embedded database.
#pragma once

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/audit_reader.h"

namespace maejin::embedded {

// Thread-safe.
class EmbeddedAuditStore final : public AuditStore {
 public:
  // Journal and log outlive it. Throws SqliteError.
  EmbeddedAuditStore(const std::string& database, Journal& journal, AuditLog& log)
      : reader_(database), journal_(journal), log_(log) {}

  Task<Outcome<std::vector<AuditRow>>> Page(std::optional<std::int64_t> before, std::size_t limit) override {
    return reader_.Page(before, limit);
  }
  Task<Outcome<Done>> Record(AuditRow row) override {
    if (!journal_.Accepting()) co_return Refusal::kUnavailable;
    WriteSet rows;
    const AuditEntry entry{row.at, row.actor, row.action, row.subject, row.detail};
    const auto ticket = log_.Append(rows, entry);
    const auto committed = co_await journal_.Committed(ticket);
    if (!committed) co_return committed.error();
    co_return Done{};
  }

 private:
  AuditReader reader_;
  Journal& journal_;
  AuditLog& log_;
};

}  // namespace maejin::embedded
