#include "adapters/mysql/audit_log.h"

#include "adapters/mysql/event_rows.h"
#include "base/log.h"
#include "store/booking_events.h"

namespace maejin::mysql {

void AppendAudit(Connection& connection, const AuditEntry& entry) {
  std::vector<EventDraft> drafts;
  AppendEvents(drafts, entry);
  AddEvents(connection, drafts);
  std::int64_t id = 0;
  std::string before;
  {
    auto head = connection.Query("SELECT last_id, last_hash FROM audit_head WHERE one = 1 FOR UPDATE");
    if (!head.Next()) throw MysqlError(kDamaged, "the audit log has no head");
    id = head.Int(0) + 1;
    before = head.Text(1);
  }
  const auto hash = AuditHash(before, id, entry);
  connection.Execute(
      "INSERT INTO audit (id, at, actor, action, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)", id,
      entry.at, entry.actor, entry.action, entry.subject, entry.detail, hash);
  connection.Execute("UPDATE audit_head SET last_id = ?, last_hash = ? WHERE one = 1", id, hash);
}

std::optional<std::int64_t> FirstBrokenAudit(Connection& connection) {
  std::int64_t expected = 1;
  std::string before;
  {
    auto rows =
        connection.Query("SELECT id, at, actor, action, subject, detail, hash FROM audit ORDER BY id");
    for (; rows.Next(); ++expected) {
      const AuditEntry entry{rows.At(1), rows.Text(2), rows.Text(3), rows.Text(4), rows.Text(5)};
      if (rows.Int(0) != expected || AuditHash(before, expected, entry) != rows.Text(6)) return expected;
      before = rows.Text(6);
    }
  }
  auto head = connection.Query("SELECT last_id, last_hash FROM audit_head WHERE one = 1");
  if (head.Next() && head.Int(0) == expected - 1 && head.Text(1) == before) return {};
  return expected;
}

Task<Outcome<std::vector<AuditRow>>> MysqlAuditStore::Page(std::optional<std::int64_t> before,
                                                           std::size_t limit) {
  return pool_.Read([before, limit](Connection& connection) -> Outcome<std::vector<AuditRow>> {
    std::vector<AuditRow> page;
    auto rows = connection.Query(
        "SELECT id, at, actor, action, subject, detail, hash FROM audit WHERE id < ? ORDER BY id DESC "
        "LIMIT ?",
        before.value_or(INT64_MAX), limit);
    while (rows.Next()) {
      page.push_back({rows.Int(0), rows.At(1), std::string(rows.Text(2)), std::string(rows.Text(3)),
                      std::string(rows.Text(4)), std::string(rows.Text(5)), std::string(rows.Text(6))});
    }
    return page;
  });
}

Task<Outcome<Done>> MysqlAuditStore::Record(AuditRow row) {
  return pool_.Write([row = std::move(row)](Connection& connection, const Attempt&) -> Outcome<Done> {
    AppendAudit(connection, {row.at, row.actor, row.action, row.subject, row.detail});
    return Done{};
  });
}

void MysqlAuditStore::Append(AuditRow row) {
  pool_.Send([row = std::move(row)](Connection& connection) {
    AppendAudit(connection, {row.at, row.actor, row.action, row.subject, row.detail});
  });
}

}  // namespace maejin::mysql
