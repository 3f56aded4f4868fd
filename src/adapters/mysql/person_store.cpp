#include "adapters/mysql/person_store.h"

#include <fmt/format.h>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/connection.h"

namespace maejin::mysql {
namespace {

// Reservations that are over: the date has passed, or they ended.
constexpr char kPast[] =
    "r.status NOT IN ('HELD', 'PAYING') AND (s.concert_date < DATE(?) OR r.ended_at < ?)";

std::vector<UserId> UsersBefore(Connection& connection, Time before, std::size_t limit) {
  static const auto sql = fmt::format(
      "SELECT DISTINCT r.user_id FROM reservations r JOIN schedules s ON s.id = r.schedule_id "
      "WHERE {} AND r.user_id NOT LIKE '{}%' LIMIT ?",
      kPast, kErasedPrefix);
  std::vector<UserId> users;
  auto rows = connection.Query(sql, before, before, limit);
  while (rows.Next()) users.emplace_back(rows.Text(0));
  return users;
}

// A room gives a number once, so a row of this number without a user is an earlier erasure.
void EraseAdmissions(Connection& connection, const UserId& user, Time now) {
  connection.Execute(
      "UPDATE IGNORE admissions SET user = '', ended_at = COALESCE(ended_at, ?) WHERE user = ?", now, user);
  connection.Execute("DELETE FROM admissions WHERE user = ?", user);
}

}  // namespace

Task<Outcome<std::int64_t>> MysqlPersonStore::Erase(Erasure erasure, Operator actor) {
  auto erase = [erasure = std::move(erasure), actor = std::move(actor)](
                   Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
    const auto renamed =
        connection.Execute("UPDATE reservations SET user_id = ?, idempotency_key = NULL WHERE user_id = ?",
                           erasure.pseudonym, erasure.user);
    connection.Execute("DELETE FROM buyers WHERE user_id = ?", erasure.user);
    EraseAdmissions(connection, erasure.user, actor.at);
    const auto detail = fmt::format("{{\"reservations\":{}}}", renamed);
    AppendAudit(connection, {actor.at, actor.name, "user.erase", erasure.shown, detail});
    return renamed;
  };
  return pool_.Write(std::move(erase));
}

Task<Outcome<std::int64_t>> MysqlPersonStore::ErasePast(Time before, std::size_t limit, Operator actor) {
  auto erase = [this, before, limit, actor = std::move(actor)](Connection& connection,
                                                               const Attempt&) -> Outcome<std::int64_t> {
    static const auto rename = fmt::format(
        "UPDATE reservations r JOIN schedules s ON s.id = r.schedule_id SET r.user_id = ?, "
        "r.idempotency_key = NULL WHERE r.user_id = ? AND {}",
        kPast);
    std::int64_t renamed = 0;
    for (const auto& user : UsersBefore(connection, before, limit)) {
      const auto pseudonym = std::string(kErasedPrefix) + Id128::Random(random_).ToString();
      renamed += connection.Execute(rename, pseudonym, user, before, before);
      connection.Execute(
          "DELETE FROM buyers WHERE user_id = ? AND NOT EXISTS (SELECT 1 FROM reservations r WHERE "
          "r.user_id = ?)",
          user, user);
    }
    if (renamed == 0) return renamed;
    const auto detail = fmt::format("{{\"reservations\":{},\"before\":\"{}\"}}", renamed, FormatTime(before));
    AppendAudit(connection, {actor.at, actor.name, "retention.erase", "reservations", detail});
    return renamed;
  };
  return pool_.Write(std::move(erase));
}

}  // namespace maejin::mysql
