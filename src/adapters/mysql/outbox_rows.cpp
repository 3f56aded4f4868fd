// Writes outbox rows, and the permanent rows of sell-outs.
#include <map>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/outbox.h"
#include "adapters/mysql/sold_out_rows.h"
#include "base/json_text.h"
#include "store/booking_events.h"

namespace maejin::mysql {
namespace {

constexpr char kAddOutbox[] = "INSERT INTO outbox (kind, concert_id, at, payload) VALUES (?, ?, ?, ?)";

// Only this fact is formatted here. The other facts are events too, so store/booking_events.h formats them.
std::string FactText(const ProgressChanged& fact) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("scheduleId", fact.schedule);
    json.Field("concertDate", fact.concert_date);
    json.Field("seats", fact.seats);
    json.Field("heldAt", fact.held_at);
  });
}

}  // namespace

std::string PayloadOf(const decltype(BookingEvent::fact)& fact) {
  return std::visit([](const auto& each) { return FactText(each); }, fact);
}

void AddOutbox(Connection& connection, ConcertId concert, Time at, const ProgressChanged& fact) {
  connection.Execute(kAddOutbox, "progress", concert, at, PayloadOf(fact));
}

void AddProgress(Connection& connection, const std::vector<const Reservation*>& reservations,
                 std::int64_t sign, Time now) {
  constexpr std::int64_t kQuarterMillis = 900'000;
  struct Sum {
    Time held_at;
    std::int64_t seats = 0;
  };
  std::map<std::pair<ScheduleId, std::int64_t>, Sum> sums;
  for (const auto* each : reservations) {
    const std::pair of{each->schedule, ToMillis(each->held_at) / kQuarterMillis};
    sums.try_emplace(of, Sum{each->held_at}).first->second.seats +=
        static_cast<std::int64_t>(each->seats.size());
  }
  // INSERT … SELECT reads the date without a lock. INSERT … VALUES ((SELECT …)) would lock the row of the
  // schedule.
  for (const auto& [of, sum] : sums) {
    connection.Execute(
        "INSERT INTO outbox (kind, concert_id, at, payload) SELECT 'progress', concert_id, ?, "
        "CONCAT('{\"scheduleId\":', id, ',\"concertDate\":\"', concert_date, '\",\"seats\":', ?, "
        "',\"heldAt\":\"', ?, '\"}') FROM schedules WHERE id = ? AND concert_id NOT IN (SELECT c.id FROM "
        "concerts c WHERE c.ranked = 0)",
        now, sign * sum.seats, FormatTime(sum.held_at), of.first);
  }
}

void AddOutbox(Connection& connection, const ScheduleSoldOut& fact) {
  AddSoldOut(connection, fact);
  connection.Execute(kAddOutbox, "schedule-sold-out", fact.concert, fact.sold_out_at, PayloadOf(fact));
}

void AddOutbox(Connection& connection, const ConcertSoldOut& fact) {
  AddSoldOut(connection, fact);
  connection.Execute(kAddOutbox, "concert-sold-out", fact.concert, fact.sold_out_at, PayloadOf(fact));
}

}  // namespace maejin::mysql
