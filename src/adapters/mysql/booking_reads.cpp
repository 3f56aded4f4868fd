#include "adapters/mysql/booking_reads.h"

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "base/numbers.h"
#include "base/run_task.h"
#include "base/take_until.h"

namespace maejin::mysql {
namespace {

constexpr Millis kRefreshAllEvery{500};
constexpr Millis kRefreshMovingEvery{60};
// The longest time of one refresh: the node and the database must have time for customers.
constexpr Millis kRefreshFor{30};
constexpr Millis kRefreshWhole{60'000};
// A refresh that hangs has not failed yet. After this time without a refresh the answers are not current.
constexpr Seconds kCurrentFor{3};

}  // namespace

Outcome<Done> BookingReads::Load(Time now) {
  auto taken =
      RunTask(context_.pool.Write([now](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
        connection.Execute("INSERT INTO nodes (started_at) VALUES (?)", now);
        return connection.LastInsertId();
      }));
  if (!taken) return taken.error();
  // Beats once at the start, so that an outage before the first tick is measured.
  if (!outages_.Beat()) return Refusal::kUnavailable;
  context_.mirror.Start(*taken, now);
  current_at_ = std::chrono::steady_clock::now();
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
  if (!context_.pool.Connected()) {
    is_current_ = false;
    return;
  }
  const bool notified = was_notified_.exchange(false);
  const auto now = std::chrono::steady_clock::now();
  const bool all = now - refreshed_at_ >= kRefreshAllEvery;
  if (notified || all) {
    if (all) refreshed_at_ = now;
    const auto refreshed = RunTask(context_.pool.Read([this, all](Connection& connection) -> Outcome<Done> {
      RefreshConcerts(connection);
      if (all) RefreshSeats(connection, "", kRefreshFor);
      return Done{};
    }));
    if (all || !refreshed) is_current_ = refreshed.ok();
    if (all && refreshed) current_at_ = now;
  }
  if (!notified && now - moving_refreshed_at_ < kRefreshMovingEvery) return;
  moving_refreshed_at_ = now;
  const auto moving = context_.mirror.Moving();
  if (moving.empty()) return;
  (void)RunTask(context_.pool.Read([&](Connection& connection) -> Outcome<Done> {
    RefreshSeats(connection, fmt::format(" WHERE schedule_id IN ({})", fmt::join(moving, ",")), kRefreshFor);
    return Done{};
  }));
}

std::optional<Seconds> BookingReads::AgeAtOnce() const {
  const auto age = std::chrono::steady_clock::now() - current_at_.load(std::memory_order_relaxed);
  if (is_current_.load(std::memory_order_relaxed) && age < kCurrentFor) return {};
  return std::chrono::floor<Seconds>(age);
}

void BookingReads::AnnounceWith(std::function<void(std::string)> send) {
  context_.announce = [this, send = std::move(send)](const MirrorChanges& changes) {
    if (auto text = notices_.TextOf(changes)) send(std::move(*text));
  };
}

void BookingReads::OnNotice(std::string_view text) {
  while (!text.empty()) {
    if (const auto schedule = ParseInt<ScheduleId>(TakeUntil(text, ' '))) context_.mirror.Touch(*schedule);
  }
  was_notified_ = true;
}

void BookingReads::RefreshConcerts(Connection& connection) {
  std::vector<ConcertId> changed;
  {
    auto rows = connection.Query("SELECT id, version FROM concerts");
    while (rows.Next()) {
      const auto known = context_.mirror.RecordOf(rows.Int(0));
      if (!known || known->version < rows.Int(1)) changed.push_back(rows.Int(0));
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

Task<Outcome<Done>> BookingReads::LoadMissing(SaleRef sale) {
  const auto& mirror = context_.mirror;
  if (sale.concert != 0 ? mirror.RecordOf(sale.concert) : mirror.RecordOfSchedule(sale.schedule))
    co_return Done{};
  const auto read = [this, sale](Connection& connection) -> Outcome<Done> {
    auto concert = sale.concert;
    if (concert == 0) {
      auto row = connection.Query("SELECT concert_id FROM schedules WHERE id = ?", sale.schedule);
      if (!row.Next()) return Done{};
      concert = row.Int(0);
    }
    Learn(connection, concert);
    return Done{};
  };
  co_return co_await context_.pool.Read(read);
}

}  // namespace maejin::mysql
