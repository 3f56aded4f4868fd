#include "adapters/mysql/booking_seats.h"

#include <map>

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"

namespace maejin::mysql {
namespace {

// Version and unpaid seats travel back in one number: a group has fewer seats than this.
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

ShardAfter CountShard(Connection& connection, const SeatMove& move, std::int32_t shard, std::int64_t seats,
                      std::optional<Time> paid_at) {
  const auto sql = fmt::format(
      "UPDATE seat_counts SET {0} = {0} - ?, {1} = {1} + ?, version = version + 1, {2}"
      "mark = LAST_INSERT_ID(version * {3} + available + held) WHERE schedule_id = ? AND shard = ?",
      CountColumn(move.from), CountColumn(move.to),
      paid_at ? "last_paid_at = GREATEST(COALESCE(last_paid_at, ?), ?), " : "", kMarkBase);
  if (paid_at) {
    connection.Execute(sql, seats, seats, *paid_at, *paid_at, move.schedule, shard);
  } else {
    connection.Execute(sql, seats, seats, move.schedule, shard);
  }
  const auto mark = connection.LastInsertId();
  return {mark / kMarkBase, mark % kMarkBase};
}

// Adds `by` to a count of open parts and returns the count; the row stays locked until the end of the
// transaction.
std::int64_t AddOpen(Connection& connection, std::string_view sql, std::int64_t by, std::int64_t id) {
  connection.Execute(sql, by, id);
  return connection.LastInsertId();
}

}  // namespace

std::int64_t MoveSeats(Connection& connection, const SeatMove& move) {
  const auto sql = "UPDATE seats SET state = ?, reservation_number = ? WHERE schedule_id = ? AND number IN " +
                   InList(move.seats.size()) + " AND state = ? AND reservation_number <=> ?";
  std::vector<Value> values{Name(move.to), move.owner_after, move.schedule};
  values.insert(values.end(), move.seats.begin(), move.seats.end());
  values.emplace_back(Name(move.from));
  values.emplace_back(move.owner_before);
  return connection.ExecuteValues(sql, values);
}

Counted CountMove(Connection& connection, ConcertId concert, const SeatMove& move,
                  std::optional<Time> paid_at) {
  Counted counted;
  counted.moved = {move.schedule, move.seats, move.to, {}};
  std::map<std::int32_t, std::int64_t> seats_of_shards;
  for (const auto seat : move.seats) ++seats_of_shards[ShardOf(seat)];
  const bool pays = move.to == SeatState::kAssigned;
  const bool takes_back = move.from == SeatState::kAssigned;
  std::int64_t opened = 0;
  for (const auto& [shard, seats] : seats_of_shards) {
    const auto after = CountShard(connection, move, shard, seats, paid_at);
    counted.moved.shards.push_back({shard, after.version});
    if (pays && after.unpaid == 0) --opened;
    if (takes_back && after.unpaid == seats) ++opened;
  }
  if (opened == 0) return counted;
  const auto open_shards =
      AddOpen(connection, "UPDATE schedules SET open_shards = LAST_INSERT_ID(open_shards + ?) WHERE id = ?",
              opened, move.schedule);
  counted.schedule_sold_out = pays && open_shards == 0;
  const bool reopened = takes_back && open_shards == opened;
  if (!counted.schedule_sold_out && !reopened) return counted;
  const auto open_schedules = AddOpen(
      connection, "UPDATE concerts SET open_schedules = LAST_INSERT_ID(open_schedules + ?) WHERE id = ?",
      reopened ? 1 : -1, concert);
  counted.concert_sold_out = pays && open_schedules == 0;
  return counted;
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
