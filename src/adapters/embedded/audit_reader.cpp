#include "adapters/embedded/audit_reader.h"

#include <cstdint>

#include "base/log.h"

namespace maejin::embedded {

Outcome<std::vector<AuditRow>> AuditReader::Read(std::optional<std::int64_t> before, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  try {
    auto rows = connection_.Prepare(
        "SELECT id, at, actor, action, subject, detail, hash FROM audit WHERE id < ? ORDER BY id DESC "
        "LIMIT ?");
    rows.Bind(1, before.value_or(INT64_MAX)).Bind(2, static_cast<std::int64_t>(limit));
    std::vector<AuditRow> page;
    while (rows.Step()) {
      page.push_back({rows.Int(0), TimeFromMillis(rows.Int(1)), std::string(rows.Text(2)),
                      std::string(rows.Text(3)), std::string(rows.Text(4)), std::string(rows.Text(5)),
                      std::string(rows.Text(6))});
    }
    return page;
  } catch (const SqliteError& error) {
    LogError("the audit log cannot be read: {}", error.what());
    return Refused(Refusal::kUnavailable);
  }
}

}  // namespace maejin::embedded
