#include "adapters/mysql/booking_reads.h"

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

constexpr Millis kRefreshAllEvery{500};
// The longest time of one refresh: the node and the database must have time for customers.
constexpr Millis kRefreshFor{30};
constexpr Millis kRefreshWhole{60'000};

}  // namespace

Outcome<Done> BookingReads::Load(Time now) {
  auto taken =
      RunTask(context_.pool.Write([now](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
        connection.Execute("INSERT INTO nodes (started_at) VALUES (?)", now);
        return connection.LastInsertId();
      }));
  if (!taken) return taken.error();
  // Beat once at the start, so that an outage before the first tick counts.
  if (!outages_.Beat()) return Refusal::kUnavailable;
  context_.mirror.Start(*taken, now);
  return RunTask(context_.pool.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshConcerts(connection);
    RefreshSeats(connection, "", kRefreshWhole);
    return Done{};
  }));
}

void BookingReads::Refresh() {
  if (!context_.pool.Connected()) return;
  // If the database does not answer, the mirror stays as it is.
  (void)RunTask(context_.pool.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshConcerts(connection);
    RefreshSeats(connection, "", kRefreshWhole);
    return Done{};
  }));
}

void BookingReads::RefreshOften() {
  if (!context_.pool.Connected()) return;
  const auto moving = context_.mirror.Moving();
  const auto now = std::chrono::steady_clock::now();
  if (now - refreshed_at_ >= kRefreshAllEvery) {
    refreshed_at_ = now;
    (void)RunTask(context_.pool.Read([this](Connection& connection) -> Outcome<Done> {
      RefreshConcerts(connection);
      RefreshSeats(connection, "", kRefreshFor);
      return Done{};
    }));
  }
  if (moving.empty()) return;
  (void)RunTask(context_.pool.Read([&](Connection& connection) -> Outcome<Done> {
    RefreshSeats(connection, fmt::format(" WHERE schedule_id IN ({})", fmt::join(moving, ",")), kRefreshFor);
    return Done{};
  }));
}

void BookingReads::RefreshConcerts(Connection& connection) {
  std::vector<ConcertId> changed;
  {
    auto rows = connection.Query("SELECT id, version FROM concerts");
    while (rows.Next()) {
      if (context_.mirror.VersionOf(rows.Int(0)) < rows.Int(1)) changed.push_back(rows.Int(0));
    }
  }
  for (const auto id : changed) {
    if (auto concert = ReadConcert(connection, id)) context_.mirror.Put(std::move(concert));
  }
}

void BookingReads::RefreshSeats(Connection& connection, const std::string& which, Millis time) {
  std::vector<std::pair<ScheduleId, std::int32_t>> shards;
  {
    auto rows = connection.Query("SELECT schedule_id, shard, version FROM seat_counts" + which);
    while (rows.Next()) {
      const auto shard = static_cast<std::int32_t>(rows.Int(1));
      if (context_.mirror.VersionOf(rows.Int(0), shard) < rows.Int(2))
        shards.emplace_back(rows.Int(0), shard);
    }
  }
  const auto end = std::chrono::steady_clock::now() + time;
  for (std::size_t i = 0; i < shards.size() && std::chrono::steady_clock::now() < end; ++i) {
    const auto& [schedule, shard] = shards[refreshed_shards_++ % shards.size()];
    context_.mirror.Apply(ReadShard(connection, schedule, shard));
  }
}

void BookingReads::Learn(Connection& connection, ConcertId concert) {
  auto record = ReadConcert(connection, concert);
  if (!record) return;
  context_.mirror.Put(record);
  for (const auto& schedule : record->schedules) {
    for (const auto& shard : schedule->shards)
      context_.mirror.Apply(ReadShard(connection, schedule->id, shard.shard));
  }
}

Task<Outcome<Done>> BookingReads::LoadMissingConcert(ConcertId concert) {
  if (context_.mirror.RecordOf(concert)) co_return Done{};
  const auto read = [this, concert](Connection& connection) -> Outcome<Done> {
    Learn(connection, concert);
    return Done{};
  };
  co_return co_await context_.pool.Read(read);
}

Task<Outcome<Done>> BookingReads::LoadMissingSchedule(ScheduleId schedule) {
  if (context_.mirror.RecordOfSchedule(schedule)) co_return Done{};
  const auto read = [this, schedule](Connection& connection) -> Outcome<Done> {
    ConcertId concert = 0;
    {
      auto row = connection.Query("SELECT concert_id FROM schedules WHERE id = ?", schedule);
      if (!row.Next()) return Done{};
      concert = row.Int(0);
    }
    Learn(connection, concert);
    return Done{};
  };
  co_return co_await context_.pool.Read(read);
}

}  // namespace maejin::mysql
