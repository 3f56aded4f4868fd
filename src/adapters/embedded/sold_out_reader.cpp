#include "adapters/embedded/sold_out_reader.h"

#include <limits>

namespace maejin::embedded {
namespace {

constexpr auto kNoId = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNoLimit = -1;

// Sell-outs that operators removed, and sell-outs of cancelled concerts, are on no board.
const std::string kRanked =
    "WHERE concert_id NOT IN (SELECT concert_id FROM sold_out_removals) AND concert_id NOT IN (SELECT id "
    "FROM "
    "concerts WHERE ranked = 0 OR status = 'CANCELLED')";
const std::string kConcertRows =
    "SELECT concert_id, title, artist, venue, dates, seats, booking_open_at, sold_out_at FROM (SELECT * FROM "
    "sold_out_concerts " +
    kRanked + ") ";
const std::string kScheduleRows =
    "SELECT schedule_id, concert_id, concert_date, seats, started_at, sold_out_at FROM (SELECT * FROM "
    "sold_out_schedules " +
    kRanked + ") ";
const std::string kInTime = "WHERE sold_out_at >= ? AND sold_out_at < ?";

}  // namespace

void SoldOutReader::VisitRows(Statement rows, const VisitConcert& visit) {
  ConcertSoldOut sold_out;
  while (rows.Step()) {
    sold_out.concert = rows.Int(0);
    sold_out.title = rows.Text(1);
    sold_out.artist = rows.Text(2);
    sold_out.venue = rows.Text(3);
    sold_out.dates = rows.Int(4);
    sold_out.seats = rows.Int(5);
    sold_out.booking_open_at = TimeFromMillis(rows.Int(6));
    sold_out.sold_out_at = TimeFromMillis(rows.Int(7));
    visit(sold_out);
  }
}

void SoldOutReader::VisitRows(Statement rows, const VisitSchedule& visit) {
  while (rows.Step()) {
    visit({.schedule = rows.Int(0),
           .concert = rows.Int(1),
           .concert_date = ParseDate(rows.Text(2)).value_or(Date{}),
           .seats = rows.Int(3),
           .started_at = TimeFromMillis(rows.Int(4)),
           .sold_out_at = TimeFromMillis(rows.Int(5))});
  }
}

void SoldOutReader::ConcertsAfter(ConcertId after, std::int64_t count, const VisitConcert& visit) {
  auto rows = connection_.Prepare(kConcertRows + "WHERE concert_id > ? ORDER BY concert_id LIMIT ?");
  rows.Bind(1, after).Bind(2, count);
  VisitRows(std::move(rows), visit);
}

void SoldOutReader::SchedulesAfter(ScheduleId after, std::int64_t count, const VisitSchedule& visit) {
  auto rows = connection_.Prepare(kScheduleRows + "WHERE schedule_id > ? ORDER BY schedule_id LIMIT ?");
  rows.Bind(1, after).Bind(2, count);
  VisitRows(std::move(rows), visit);
}

void SoldOutReader::ConcertsWith(std::span<const ConcertId> ids, const VisitConcert& visit) {
  for (const auto id : ids) {
    auto row = connection_.Prepare(kConcertRows + "WHERE concert_id = ?");
    row.Bind(1, id);
    VisitRows(std::move(row), visit);
  }
}

void SoldOutReader::SchedulesWith(std::span<const ScheduleId> ids, const VisitSchedule& visit) {
  for (const auto id : ids) {
    auto row = connection_.Prepare(kScheduleRows + "WHERE schedule_id = ?");
    row.Bind(1, id);
    VisitRows(std::move(row), visit);
  }
}

bool SoldOutReader::HasConcert(ConcertId concert) {
  auto row = connection_.Prepare("SELECT 1 FROM sold_out_concerts WHERE concert_id = ?");
  row.Bind(1, concert);
  return row.Step();
}

bool SoldOutReader::HasSchedule(ScheduleId schedule) {
  auto row = connection_.Prepare("SELECT 1 FROM sold_out_schedules WHERE schedule_id = ?");
  row.Bind(1, schedule);
  return row.Step();
}

void SoldOutReader::ConcertRowsIn(const TimeRange& range, const VisitConcert& visit) {
  auto rows = connection_.Prepare(kConcertRows + kInTime);
  rows.Bind(1, ToMillis(range.from)).Bind(2, ToMillis(range.until));
  VisitRows(std::move(rows), visit);
}

void SoldOutReader::ScheduleRowsIn(const TimeRange& range, const VisitSchedule& visit) {
  auto rows = connection_.Prepare(kScheduleRows + kInTime);
  rows.Bind(1, ToMillis(range.from)).Bind(2, ToMillis(range.until));
  VisitRows(std::move(rows), visit);
}

void SoldOutReader::EachConcert(const VisitConcert& visit) { ConcertsAfter(kNoId, kNoLimit, visit); }

void SoldOutReader::EachSchedule(const VisitSchedule& visit) { SchedulesAfter(kNoId, kNoLimit, visit); }

void SoldOutReader::EachReserved(const std::function<void(const ProgressChanged&)>& visit) {
  auto rows = connection_.Prepare(
      "SELECT r.schedule_id, s.concert_date, sum(json_array_length(r.seats)), min(r.held_at) "
      "FROM reservations r JOIN schedules s ON s.id = r.schedule_id JOIN concerts c ON c.id = s.concert_id "
      "WHERE c.ranked = 1 AND r.status IN ('HELD', 'PAYING', 'CONFIRMED') GROUP BY r.schedule_id, r.held_at "
      "/ 900000");
  while (rows.Step()) {
    visit({.schedule = rows.Int(0),
           .concert_date = ParseDate(rows.Text(1)).value_or(Date{}),
           .seats = rows.Int(2),
           .held_at = TimeFromMillis(rows.Int(3))});
  }
}

SoldOutCounts SoldOutReader::Count() {
  auto row = connection_.Prepare("SELECT (SELECT count(*) FROM sold_out_concerts " + kRanked +
                                 "), (SELECT count(*) FROM sold_out_schedules " + kRanked + ")");
  row.Step();
  return {row.Int(0), row.Int(1)};
}

void SoldOutReader::Pin() {
  Unpin();  // ends the snapshot of an attempt that failed
  connection_.Execute("BEGIN");
  connection_.Prepare("SELECT count(*) FROM ranking_settings").Step();  // the first read begins the snapshot
}

void SoldOutReader::Unpin() { connection_.TryExecute("ROLLBACK"); }

std::optional<std::int64_t> SoldOutReader::Setting(std::string_view name) {
  auto row = connection_.Prepare("SELECT value FROM ranking_settings WHERE name = ?");
  row.Bind(1, name);
  if (!row.Step()) return {};
  return row.Int(0);
}

}  // namespace maejin::embedded
