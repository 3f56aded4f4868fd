#include "adapters/mysql/ranking_history.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/sold_out_rows.h"

namespace maejin::mysql {
namespace {

constexpr char kPruned[] = "SELECT value FROM ranking_settings WHERE name = 'pruned_before'";

Date PrunedIn(Connection& connection) {
  auto row = connection.Query(kPruned);
  const std::chrono::days days{row.Next() ? row.Int(0) : 0};
  return Date{std::chrono::sys_days{days}};
}

// The lengths of a list of ids. Other lists are padded to one of these, so that three prepared statements are
// enough.
constexpr std::size_t kIdListSizes[] = {1, 16, 256};

// Calls `read` with "(?, ?)" and its values, in chunks. Unused placeholders repeat the last id.
template <class Read>
void EachIdList(std::span<const std::int64_t> ids, Read read) {
  while (!ids.empty()) {
    const auto fits = std::find_if(std::begin(kIdListSizes), std::end(kIdListSizes) - 1,
                                   [&](std::size_t size) { return size >= ids.size(); });
    const auto some = ids.first(std::min(*fits, ids.size()));
    std::vector<Value> values(some.begin(), some.end());
    values.resize(*fits, Value(some.back()));
    std::string list = "(?";
    for (std::size_t i = 1; i < *fits; ++i) list += ", ?";
    read(list + ")", values);
    ids = ids.subspan(some.size());
  }
}

// True: the id belongs to a date of this server, or to an imported date of another concert.
bool IsTaken(Connection& connection, ScheduleId schedule, ConcertId concert) {
  return connection
      .Query(
          "SELECT 1 FROM schedules WHERE id = ? UNION ALL "
          "SELECT 1 FROM sold_out_schedules WHERE schedule_id = ? AND concert_id <> ?",
          schedule, schedule, concert)
      .Next();
}

Imported ImportOne(Connection& connection, const SoldOutHistory& history, bool maybe_done) {
  const auto concert = history.concert.concert;
  if (connection.Query("SELECT 1 FROM concerts WHERE id = ?", concert).Next()) return Imported::kKnown;
  const bool known = connection.Query("SELECT 1 FROM sold_out_concerts WHERE concert_id = ?", concert).Next();
  // If the commit of an earlier attempt is unknown, the rows may be those of that attempt.
  if (known) return maybe_done ? Imported::kNew : Imported::kKnown;
  for (const auto& schedule : history.schedules) {
    if (IsTaken(connection, schedule.schedule, concert)) return Imported::kScheduleTaken;
  }
  AddSoldOut(connection, history.concert);
  for (auto schedule : history.schedules) {
    schedule.concert = concert;
    AddSoldOut(connection, schedule);
  }
  return Imported::kNew;
}

}  // namespace

Task<Outcome<std::vector<ConcertSoldOut>>> MysqlRankingHistory::ConcertsAfter(ConcertId after,
                                                                              std::size_t count) {
  return pool_.Read([after, count](Connection& connection) -> Outcome<std::vector<ConcertSoldOut>> {
    return ReadSoldOutConcerts(connection, "WHERE concert_id > ? ORDER BY concert_id LIMIT ?",
                               {after, count});
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> MysqlRankingHistory::SchedulesAfter(ScheduleId after,
                                                                                std::size_t count) {
  return pool_.Read([after, count](Connection& connection) -> Outcome<std::vector<ScheduleSoldOut>> {
    return ReadSoldOutSchedules(connection, "WHERE schedule_id > ? ORDER BY schedule_id LIMIT ?",
                                {after, count});
  });
}

Task<Outcome<std::vector<ConcertSoldOut>>> MysqlRankingHistory::ConcertsWith(std::vector<ConcertId> ids) {
  return pool_.Read([ids = std::move(ids)](Connection& connection) -> Outcome<std::vector<ConcertSoldOut>> {
    std::vector<ConcertSoldOut> found;
    EachIdList(ids, [&](const std::string& list, const std::vector<Value>& values) {
      auto rows = ReadSoldOutConcerts(connection, "WHERE concert_id IN " + list, values);
      std::move(rows.begin(), rows.end(), std::back_inserter(found));
    });
    return found;
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> MysqlRankingHistory::SchedulesWith(std::vector<ScheduleId> ids) {
  return pool_.Read([ids = std::move(ids)](Connection& connection) -> Outcome<std::vector<ScheduleSoldOut>> {
    std::vector<ScheduleSoldOut> found;
    EachIdList(ids, [&](const std::string& list, const std::vector<Value>& values) {
      auto rows = ReadSoldOutSchedules(connection, "WHERE schedule_id IN " + list, values);
      std::move(rows.begin(), rows.end(), std::back_inserter(found));
    });
    return found;
  });
}

Task<Outcome<std::vector<ConcertSoldOut>>> MysqlRankingHistory::ConcertsIn(TimeRange range) {
  return pool_.Read([range](Connection& connection) -> Outcome<std::vector<ConcertSoldOut>> {
    return ReadSoldOutConcerts(connection, "WHERE sold_out_at >= ? AND sold_out_at < ?",
                               {range.from, range.until});
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> MysqlRankingHistory::SchedulesIn(TimeRange range) {
  return pool_.Read([range](Connection& connection) -> Outcome<std::vector<ScheduleSoldOut>> {
    return ReadSoldOutSchedules(connection, "WHERE sold_out_at >= ? AND sold_out_at < ?",
                                {range.from, range.until});
  });
}

Task<Outcome<SoldOutCounts>> MysqlRankingHistory::Count() {
  return pool_.Read([](Connection& connection) -> Outcome<SoldOutCounts> {
    static const auto sql = std::string("SELECT (SELECT COUNT(*) FROM sold_out_concerts ") + kRanked +
                            "), (SELECT COUNT(*) FROM sold_out_schedules " + kRanked + ")";
    auto row = connection.Query(sql);
    row.Next();
    return SoldOutCounts{row.Int(0), row.Int(1)};
  });
}

Task<Outcome<ReservedSeats>> MysqlRankingHistory::Reserved() {
  return pool_.Read([](Connection& connection) -> Outcome<ReservedSeats> {
    // Reservations and their events are written in one transaction, so one snapshot shows both or neither.
    connection.Command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    connection.Command("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    ReservedSeats reserved;
    {
      auto rows = connection.Query(
          "SELECT r.schedule_id, s.concert_date, SUM(r.seat_count), MIN(r.held_at) FROM reservations r "
          "JOIN schedules s ON s.id = r.schedule_id JOIN concerts c ON c.id = s.concert_id AND c.ranked = 1 "
          "WHERE r.status IN ('HELD', 'PAYING', 'CONFIRMED') "
          "GROUP BY r.schedule_id, s.concert_date, FLOOR(TIMESTAMPDIFF(SECOND, '1970-01-01', r.held_at) / "
          "900)");
      while (rows.Next()) reserved.seats.push_back({rows.Int(0), rows.Day(1), rows.Int(2), rows.At(3)});
    }
    auto rows = connection.Query("SELECT id FROM outbox WHERE kind = 'progress' ORDER BY id");
    while (rows.Next()) reserved.pending.push_back(static_cast<std::uint64_t>(rows.Int(0)));
    return reserved;
  });
}

Task<Outcome<std::vector<Imported>>> MysqlRankingHistory::Import(std::vector<SoldOutHistory> histories) {
  return pool_.Write([histories = std::move(histories)](
                         Connection& connection, const Attempt& attempt) -> Outcome<std::vector<Imported>> {
    LockIds(connection);
    std::vector<Imported> imported;
    for (const auto& history : histories) {
      imported.push_back(ImportOne(connection, history, attempt.commit_unknown));
    }
    return imported;
  });
}

Task<Outcome<Done>> MysqlRankingHistory::Remove(ConcertId concert, Time now) {
  return pool_.Write([concert, now](Connection& connection, const Attempt&) -> Outcome<Done> {
    if (!connection.Query("SELECT 1 FROM sold_out_concerts WHERE concert_id = ?", concert).Next())
      return Refusal::kNotRanked;
    connection.Execute("INSERT IGNORE INTO sold_out_removals (concert_id, removed_at) VALUES (?, ?)", concert,
                       now);
    return Done{};
  });
}

Task<Outcome<Done>> MysqlRankingHistory::Correct(SoldOutHistory history) {
  return pool_.Write([history = std::move(history)](Connection& connection, const Attempt&) -> Outcome<Done> {
    const auto concert = history.concert.concert;
    LockIds(connection);
    if (connection.Query("SELECT 1 FROM concerts WHERE id = ?", concert).Next() ||
        !connection.Query("SELECT 1 FROM sold_out_concerts WHERE concert_id = ?", concert).Next())
      return Refusal::kNotRanked;
    for (const auto& schedule : history.schedules) {
      if (IsTaken(connection, schedule.schedule, concert)) return ScheduleTaken(schedule.schedule);
    }
    connection.Execute("DELETE FROM sold_out_removals WHERE concert_id = ?", concert);
    connection.Execute("DELETE FROM sold_out_concerts WHERE concert_id = ?", concert);
    connection.Execute("DELETE FROM sold_out_schedules WHERE concert_id = ?", concert);
    AddSoldOut(connection, history.concert);
    for (const auto& schedule : history.schedules) AddSoldOut(connection, schedule);
    return Done{};
  });
}

Task<Outcome<Date>> MysqlRankingHistory::PrunedBefore() {
  return pool_.Read([](Connection& connection) -> Outcome<Date> { return PrunedIn(connection); });
}

Task<Outcome<Date>> MysqlRankingHistory::Prune(Date before) {
  return pool_.Write([before](Connection& connection, const Attempt&) -> Outcome<Date> {
    const auto days = std::chrono::sys_days{before}.time_since_epoch().count();
    connection.Execute(
        "INSERT INTO ranking_settings (name, value) VALUES ('pruned_before', ?) "
        "ON DUPLICATE KEY UPDATE value = GREATEST(value, ?)",
        days, days);
    return PrunedIn(connection);
  });
}

}  // namespace maejin::mysql
