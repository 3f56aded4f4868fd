#include "adapters/mysql/outbox.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "base/run_task.h"

namespace maejin::mysql {
namespace {

namespace json = boost::json;

std::int64_t Int(const json::object& body, const char* name) {
  return body.at(name).to_number<std::int64_t>();
}
std::string Text(const json::object& body, const char* name) {
  return std::string(body.at(name).as_string());
}
Time At(const json::object& body, const char* name) { return ParseTime(Text(body, name)).value(); }
Date Day(const json::object& body, const char* name) { return ParseDate(Text(body, name)).value(); }

decltype(BookingEvent::fact) FactOf(std::string_view kind, const json::object& body) {
  if (kind == "progress") {
    return ProgressChanged{Int(body, "scheduleId"), Day(body, "concertDate"), Int(body, "seats"),
                           At(body, "heldAt")};
  }
  if (kind == "schedule-sold-out") {
    return ScheduleSoldOut{Int(body, "scheduleId"), Int(body, "concertId"), Day(body, "concertDate"),
                           Int(body, "seats"),      At(body, "startedAt"),  At(body, "soldOutAt")};
  }
  return ConcertSoldOut{Int(body, "concertId"),    Text(body, "title"),  Text(body, "artist"),
                        Text(body, "venue"),       Int(body, "dates"),   Int(body, "seats"),
                        At(body, "bookingOpenAt"), At(body, "soldOutAt")};
}

constexpr std::size_t kEventsAtOnce = 500;
constexpr Seconds kAddLeasesEvery{5};
constexpr char kUnleased[] =
    " FROM outbox_leases t WHERE (t.leased_until IS NULL OR t.leased_until <= UTC_TIMESTAMP(3)) "
    "AND EXISTS (SELECT 1 FROM outbox o WHERE o.concert_id = t.concert_id) LIMIT 1";

std::vector<BookingEvent> EventsOf(Rows rows) {
  std::vector<BookingEvent> events;
  while (rows.Next()) {
    events.push_back(
        {static_cast<std::uint64_t>(rows.Int(0)), ParsePayload(rows.Text(1), rows.Text(2)).value()});
  }
  return events;
}

}  // namespace

std::optional<decltype(BookingEvent::fact)> ParsePayload(std::string_view kind, std::string_view payload) {
  try {
    const auto body = json::parse(json::string_view(payload.data(), payload.size()));
    return FactOf(kind, body.as_object());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

namespace {

// Concerts added by a node of the previous version have no lease row.
void AddMissingLeases(Connection& connection) {
  connection.Execute(
      "INSERT IGNORE INTO outbox_leases (concert_id) SELECT DISTINCT o.concert_id FROM outbox o "
      "LEFT JOIN outbox_leases l ON l.concert_id = o.concert_id WHERE l.concert_id IS NULL");
}

}  // namespace

Outcome<bool> OutboxRelay::HasWork() {
  const auto now = std::chrono::steady_clock::now();
  if (now - added_leases_at_ >= kAddLeasesEvery) {
    added_leases_at_ = now;
    const auto added = RunTask(pool_.Write([](Connection& connection, const Attempt&) -> Outcome<Done> {
      AddMissingLeases(connection);
      return Done{};
    }));
    if (!added) return added.error();
  }
  return RunTask(pool_.Read([](Connection& connection) -> Outcome<bool> {
    static const auto sql = std::string("SELECT 1") + kUnleased;
    return connection.Query(sql).Next();
  }));
}

Outcome<OutboxRelay::Leased> OutboxRelay::Lease() {
  return RunTask(pool_.Write([this](Connection& connection, const Attempt&) -> Outcome<Leased> {
    Leased leased;
    {
      static const auto sql =
          std::string("SELECT t.concert_id, t.lease + 1") + kUnleased + " FOR UPDATE SKIP LOCKED";
      auto row = connection.Query(sql);
      if (!row.Next()) return leased;
      leased.concert = row.Int(0);
      leased.lease = row.Int(1);
    }
    leased.events = EventsOf(
        connection.Query("SELECT id, kind, payload FROM outbox WHERE concert_id = ? ORDER BY id LIMIT ?",
                         leased.concert, kEventsAtOnce));
    connection.Execute(
        "UPDATE outbox_leases SET lease = ?, leased_until = UTC_TIMESTAMP(3) + INTERVAL ? * 1000 MICROSECOND "
        "WHERE concert_id = ?",
        leased.lease, lease_.count(), leased.concert);
    return leased;
  }));
}

Outcome<Done> OutboxRelay::Acknowledge(const Leased& leased, bool applied) {
  return RunTask(pool_.Write([&leased, applied](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("UPDATE outbox_leases SET leased_until = NULL WHERE concert_id = ? AND lease = ?",
                       leased.concert, leased.lease);
    if (!applied) return Done{};
    std::vector<std::uint64_t> ids;
    for (const auto& event : leased.events) ids.push_back(event.id);
    connection.Command(fmt::format("DELETE FROM outbox WHERE id IN ({})", fmt::join(ids, ",")));
    return Done{};
  }));
}

Outcome<std::size_t> OutboxRelay::RunOnce() {
  const auto work = HasWork();
  if (!work) return work.error();
  if (!*work) return 0;
  auto leased = Lease();
  if (!leased) return leased.error();
  if (leased->events.empty()) return 0;
  const bool applied = apply_(leased->events);
  const auto acknowledged = Acknowledge(*leased, applied);
  if (!acknowledged) return acknowledged.error();
  if (!applied) return Refusal::kUnavailable;
  return leased->events.size();
}

Outcome<std::size_t> OutboxRelay::RunUntilEmpty() {
  std::size_t applied = 0;
  for (;;) {
    const auto some = RunOnce();
    if (!some) return some.error();
    if (*some == 0) return applied;
    applied += *some;
  }
}

}  // namespace maejin::mysql
