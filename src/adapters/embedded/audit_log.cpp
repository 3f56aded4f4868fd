#include "adapters/embedded/audit_log.h"

#include "store/booking_events.h"

namespace maejin::embedded {
namespace {

constexpr Sql kInsert{
    "INSERT INTO audit (id, at, actor, action, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"};

}  // namespace

AuditLog::AuditLog(Connection& connection, Journal& journal) : journal_(journal) {
  auto newest = connection.Prepare("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1");
  if (!newest.Step()) return;
  head_ = {newest.Int(0), std::string(newest.Text(1))};
}

Ticket AuditLog::Append(WriteSet& rows, const AuditEntry& entry, std::span<const BookingEvent> events,
                        std::vector<EventDraft> drafts) {
  AppendEvents(drafts, entry);
  const std::lock_guard lock(mutex_);
  ++head_.id;
  head_.hash = AuditHash(head_.hash, head_.id, entry);
  rows.Add(kInsert).Int(head_.id).At(entry.at).Text(entry.actor).Text(entry.action).Text(entry.subject);
  rows.Text(entry.detail).Text(head_.hash);
  return journal_.Append(rows, events, drafts);
}

AuditHead AuditLog::Head() const {
  const std::lock_guard lock(mutex_);
  return head_;
}

std::optional<std::int64_t> AuditLog::FirstBroken(Connection& connection) {
  auto rows =
      connection.Prepare("SELECT id, at, actor, action, subject, detail, hash FROM audit ORDER BY id");
  std::int64_t expected = 1;
  std::string before;
  for (; rows.Step(); ++expected) {
    const AuditEntry entry{TimeFromMillis(rows.Int(1)), rows.Text(2), rows.Text(3), rows.Text(4),
                           rows.Text(5)};
    if (rows.Int(0) != expected || AuditHash(before, expected, entry) != rows.Text(6)) return expected;
    before = rows.Text(6);
  }
  return {};
}

}  // namespace maejin::embedded
