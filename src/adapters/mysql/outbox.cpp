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

std::vector<BookingEvent> EventsOf(Rows rows) {
  std::vector<BookingEvent> events;
  while (rows.Next()) {
    const auto body = json::parse(json::string_view(rows.Text(2).data(), rows.Text(2).size()));
    events.push_back({static_cast<std::uint64_t>(rows.Int(0)), FactOf(rows.Text(1), body.as_object())});
  }
  return events;
}

// The turn of a concert with events that nobody else tells.
std::optional<ConcertId> TakeTurn(Connection& connection) {
  auto turn = connection.Query(
      "SELECT t.concert_id FROM outbox_turns t WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.concert_id = "
      "t.concert_id) "
      "LIMIT 1 FOR UPDATE SKIP LOCKED");
  if (!turn.Next()) return std::nullopt;
  return turn.Int(0);
}

}  // namespace

std::vector<BookingEvent> ReadOutbox(Connection& connection, std::uint64_t after, std::size_t limit) {
  return EventsOf(connection.Query("SELECT id, kind, payload FROM outbox WHERE id > ? ORDER BY id LIMIT ?",
                                   after, limit));
}

Outcome<std::size_t> OutboxRelay::RunOnce() {
  return RunTask(pool_.Write([this](Connection& connection, const Attempt&) -> Outcome<std::size_t> {
    const auto concert = TakeTurn(connection);
    if (!concert) return 0;
    const auto events = EventsOf(
        connection.Query("SELECT id, kind, payload FROM outbox WHERE concert_id = ? ORDER BY id LIMIT ?",
                         *concert, kEventsAtOnce));
    if (events.empty()) return 0;
    if (!apply_(events)) return Refusal::kUnavailable;
    std::vector<std::uint64_t> ids;
    for (const auto& event : events) ids.push_back(event.id);
    connection.Command(fmt::format("DELETE FROM outbox WHERE id IN ({})", fmt::join(ids, ",")));
    return events.size();
  }));
}

Outcome<std::size_t> OutboxRelay::RunUntilEmpty() {
  std::size_t told = 0;
  for (;;) {
    const auto some = RunOnce();
    if (!some) return some.error();
    if (*some == 0) return told;
    told += *some;
  }
}

}  // namespace maejin::mysql
