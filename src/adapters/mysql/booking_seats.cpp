#include "adapters/mysql/booking_seats.h"

#include <map>

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"

namespace maejin::mysql {
namespace {

// A statement returns version * kMarkBase + unpaid seats in one number. A shard has fewer seats than
// kMarkBase.
constexpr std::int64_t kMarkBase = 65'536;

const char* CountColumn(SeatState state) {
  switch (state) {
    case SeatState::kAvailable:
      return "available";
    case SeatState::kHeld:
      return "held";
    case SeatState::kAssigned:
      return "assigned";
    case SeatState::kBlocked:
      return "blocked";
  }
  return "";
}

struct ShardAfter {
  std::int64_t version = 0;
  std::int64_t unpaid = 0;
};

// True: the move takes AVAILABLE seats for a customer. A closed date refuses it.
bool IsHold(const SeatMove& move) {
  return move.from == SeatState::kAvailable && move.to != SeatState::kBlocked;
}

// Absent: the shard is closed and refuses the move.
std::optional<ShardAfter> CountShard(Connection& connection, const SeatMove& move, std::int32_t shard,
                                     std::int64_t seats, std::optional<Time> paid_at) {
  const auto sql = fmt::format(
      "UPDATE seat_counts SET {0} = {0} - ?, {1} = {1} + ?, version = version + 1, {2}"
      "mark = LAST_INSERT_ID(version * {3} + available + held) WHERE schedule_id = ? AND shard = ?{4}",
      CountColumn(move.from), CountColumn(move.to),
      paid_at ? "last_paid_at = GREATEST(COALESCE(last_paid_at, ?), ?), " : "", kMarkBase,
      IsHold(move) ? " AND closed = 0" : "");
  const auto counted = paid_at
                           ? connection.Execute(sql, seats, seats, *paid_at, *paid_at, move.schedule, shard)
                           : connection.Execute(sql, seats, seats, move.schedule, shard);
  if (counted == 0) return std::nullopt;
  const auto mark = connection.LastInsertId();
  return ShardAfter{mark / kMarkBase, mark % kMarkBase};
}

// Adds `by` to a count of open shards or dates, and returns the new count. Locks the row until the end of the
// transaction.
std::int64_t AddOpen(Connection& connection, std::string_view sql, std::int64_t by, std::int64_t id) {
  connection.Execute(sql, by, id);
  return connection.LastInsertId();
}

bool IsUnpaid(SeatState state) { return state == SeatState::kAvailable || state == SeatState::kHeld; }

// A cancelled date is no longer part of its concert's count of open dates. Precondition: the date's row is
// locked.
bool IsCancelled(Connection& connection, ScheduleId schedule) {
  return connection.Query("SELECT 1 FROM schedules WHERE id = ? AND status = 'CANCELLED'", schedule).Next();
}

}  // namespace

std::int64_t MoveSeats(Connection& connection, const SeatMove& move) {
  if (move.seats.size() > kMaxPlaceholders) {
    // The numbers come from the database, not from a client, so the list may be part of the statement.
    return connection.Execute(
        fmt::format(
            "UPDATE seats SET state = ?, reservation_number = ? WHERE schedule_id = ? AND number IN ({}) "
            "AND state = ? AND reservation_number <=> ?",
            fmt::join(move.seats, ",")),
        Name(move.to), move.owner_after, move.schedule, Name(move.from), move.owner_before);
  }
  const auto sql = "UPDATE seats SET state = ?, reservation_number = ? WHERE schedule_id = ? AND number IN " +
                   InList(move.seats.size()) + " AND state = ? AND reservation_number <=> ?";
  std::vector<Value> values{Name(move.to), move.owner_after, move.schedule};
  values.insert(values.end(), move.seats.begin(), move.seats.end());
  values.emplace_back(Name(move.from));
  values.emplace_back(move.owner_before);
  return connection.ExecuteValues(sql, values);
}

std::int64_t HoldSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatFor>& seats) {
  std::string sql = "UPDATE seats SET state = 'HELD', reservation_number = CASE number";
  std::vector<Value> values;
  std::vector<SeatNumber> numbers;
  for (const auto& [seat, reservation] : seats) {
    numbers.push_back(seat);
    values.insert(values.end(), {seat, reservation});
  }
  // Pads the CASE as AppendInList() pads the IN list, so that few statements are prepared.
  while (values.size() < 2 * std::bit_ceil(seats.size()))
    values.insert(values.end(), {seats.back().seat, seats.back().reservation});
  for (std::size_t i = 0; i < values.size(); i += 2) sql += " WHEN ? THEN ?";
  sql += " END WHERE schedule_id = ? AND state = 'AVAILABLE' AND number IN ";
  values.emplace_back(schedule);
  AppendInList(sql, values, numbers);
  return connection.ExecuteValues(sql, values);
}

std::int64_t AssignSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                         const std::vector<std::int64_t>& reservations) {
  std::string sql =
      "UPDATE seats SET state = 'ASSIGNED' WHERE schedule_id = ? AND state = 'HELD' AND number IN ";
  std::vector<Value> values{schedule};
  AppendInList(sql, values, seats);
  sql += " AND reservation_number IN ";
  AppendInList(sql, values, reservations);
  return connection.ExecuteValues(sql, values);
}

std::int64_t FreeSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats,
                       SeatState from, const std::vector<std::int64_t>& reservations) {
  constexpr std::string_view kFree =
      "UPDATE seats SET state = 'AVAILABLE', reservation_number = NULL WHERE schedule_id = ? AND state = ? "
      "AND number IN ";
  if (seats.size() > kMaxPlaceholders || reservations.size() > kMaxPlaceholders) {
    // The numbers come from the database, not from a client, so the lists may be part of the statement.
    return connection.Execute(fmt::format("{}({}) AND reservation_number IN ({})", kFree,
                                          fmt::join(seats, ","), fmt::join(reservations, ",")),
                              schedule, Name(from));
  }
  std::string sql(kFree);
  std::vector<Value> values{schedule, Name(from)};
  AppendInList(sql, values, seats);
  sql += " AND reservation_number IN ";
  AppendInList(sql, values, reservations);
  return connection.ExecuteValues(sql, values);
}

std::optional<ShardsCounted> CountShards(Connection& connection, const SeatMove& move,
                                         std::optional<Time> paid_at) {
  ShardsCounted counted{{move.schedule, move.seats, move.to, {}}, 0};
  std::map<std::int32_t, std::int64_t> seats_of_shards;
  for (const auto seat : move.seats) ++seats_of_shards[ShardOf(seat)];
  for (const auto& [shard, seats] : seats_of_shards) {
    const auto after = CountShard(connection, move, shard, seats, paid_at);
    if (!after) return std::nullopt;
    counted.moved.shards.push_back({shard, after->version});
    if (!IsUnpaid(move.to) && IsUnpaid(move.from) && after->unpaid == 0) --counted.opened;
    if (IsUnpaid(move.to) && !IsUnpaid(move.from) && after->unpaid == seats) ++counted.opened;
  }
  return counted;
}

Counted CountOpened(Connection& connection, ConcertId concert, const SeatMove& move, ShardsCounted shards) {
  Counted counted;
  counted.moved = std::move(shards.moved);
  const auto opened = shards.opened;
  if (opened == 0) return counted;
  const bool pays = move.to == SeatState::kAssigned;
  const auto open_shards =
      AddOpen(connection, "UPDATE schedules SET open_shards = LAST_INSERT_ID(open_shards + ?) WHERE id = ?",
              opened, move.schedule);
  const bool closed = opened < 0 && open_shards == 0;
  const bool reopened = opened > 0 && open_shards == opened;
  counted.schedule_sold_out = pays && closed;
  if ((!closed && !reopened) || IsCancelled(connection, move.schedule)) return counted;
  const auto open_schedules = AddOpen(
      connection, "UPDATE concerts SET open_schedules = LAST_INSERT_ID(open_schedules + ?) WHERE id = ?",
      reopened ? 1 : -1, concert);
  counted.concert_sold_out = pays && open_schedules == 0;
  return counted;
}

std::optional<Counted> CountMove(Connection& connection, ConcertId concert, const SeatMove& move,
                                 std::optional<Time> paid_at) {
  auto shards = CountShards(connection, move, paid_at);
  if (!shards) return std::nullopt;
  return CountOpened(connection, concert, move, std::move(*shards));
}

bool IsClosed(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats) {
  bool closed = false;
  auto rows = connection.Query(
      "SELECT closed FROM seat_counts WHERE schedule_id = ? AND shard BETWEEN ? AND ? ORDER BY shard FOR "
      "UPDATE",
      schedule, ShardOf(seats.front()), ShardOf(seats.back()));
  while (rows.Next()) closed = closed || rows.Int(0) != 0;
  return closed;
}

std::optional<Time> LastPaidOfSchedule(Connection& connection, ScheduleId schedule) {
  auto rows = connection.Query("SELECT MAX(last_paid_at) FROM seat_counts WHERE schedule_id = ?", schedule);
  rows.Next();
  return rows.OptionalAt(0);
}

std::optional<Time> LastPaidOfConcert(Connection& connection, ConcertId concert) {
  auto rows = connection.Query("SELECT MAX(last_paid_at) FROM seat_counts WHERE concert_id = ?", concert);
  rows.Next();
  return rows.OptionalAt(0);
}

}  // namespace maejin::mysql
