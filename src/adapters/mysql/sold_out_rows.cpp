#include "adapters/mysql/sold_out_rows.h"

namespace maejin::mysql {

bool AddSoldOut(Connection& connection, const ConcertSoldOut& fact) {
  return connection.Execute(
             "INSERT IGNORE INTO sold_out_concerts (concert_id, title, artist, venue, dates, seats, "
             "booking_open_at, sold_out_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
             fact.concert, fact.title, fact.artist, fact.venue, fact.dates, fact.seats, fact.booking_open_at,
             fact.sold_out_at) == 1;
}

bool AddSoldOut(Connection& connection, const ScheduleSoldOut& fact) {
  return connection.Execute(
             "INSERT IGNORE INTO sold_out_schedules (schedule_id, concert_id, concert_date, seats, "
             "started_at, sold_out_at) VALUES (?, ?, ?, ?, ?, ?)",
             fact.schedule, fact.concert, fact.concert_date, fact.seats, fact.started_at,
             fact.sold_out_at) == 1;
}

std::vector<ConcertSoldOut> ReadSoldOutConcerts(Connection& connection, std::string_view which,
                                                const std::vector<Value>& values) {
  std::vector<ConcertSoldOut> found;
  auto rows = connection.QueryValues(
      "SELECT concert_id, title, artist, venue, dates, seats, booking_open_at, sold_out_at "
      "FROM (SELECT * FROM sold_out_concerts " +
          std::string(kRanked) + ") ranked " + std::string(which),
      values);
  while (rows.Next()) {
    found.push_back({rows.Int(0), std::string(rows.Text(1)), std::string(rows.Text(2)),
                     std::string(rows.Text(3)), rows.Int(4), rows.Int(5), rows.At(6), rows.At(7)});
  }
  return found;
}

std::vector<ScheduleSoldOut> ReadSoldOutSchedules(Connection& connection, std::string_view which,
                                                  const std::vector<Value>& values) {
  std::vector<ScheduleSoldOut> found;
  auto rows = connection.QueryValues(
      "SELECT schedule_id, concert_id, concert_date, seats, started_at, sold_out_at FROM (SELECT * FROM "
      "sold_out_schedules " +
          std::string(kRanked) + ") ranked " + std::string(which),
      values);
  while (rows.Next()) {
    found.push_back({rows.Int(0), rows.Int(1), rows.Day(2), rows.Int(3), rows.At(4), rows.At(5)});
  }
  return found;
}

}  // namespace maejin::mysql
