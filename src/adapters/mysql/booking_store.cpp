#include "adapters/mysql/booking_store.h"

#include "adapters/mysql/booking_rows.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::mysql {

Outcome<Done> MysqlBookingStore::Load(Time now) {
  auto taken = RunTask(pool_.Write([now](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
    connection.Execute("INSERT INTO nodes (started_at) VALUES (?)", now);
    return connection.LastInsertId();
  }));
  if (!taken) return taken.error();
  mirror_.Start(*taken, now);
  return RunTask(pool_.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshFrom(connection, mirror_);
    return Done{};
  }));
}

void MysqlBookingStore::Refresh() {
  if (!pool_.Connected()) return;
  // Refused: the database is away, and the mirror stays as it is.
  (void)RunTask(pool_.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshFrom(connection, mirror_);
    return Done{};
  }));
}

void MysqlBookingStore::RefreshFrom(Connection& connection, BookingMirror& mirror) {
  std::vector<ConcertId> changed;
  {
    auto rows = connection.Query("SELECT id, version FROM concerts");
    while (rows.Next()) {
      if (mirror.VersionOf(rows.Int(0)) < rows.Int(1)) changed.push_back(rows.Int(0));
    }
  }
  for (const auto id : changed) {
    if (auto concert = ReadConcert(connection, id)) mirror.Put(std::move(concert));
  }
  std::vector<std::pair<ScheduleId, std::int32_t>> shards;
  {
    auto rows = connection.Query("SELECT schedule_id, shard, version FROM seat_counts");
    while (rows.Next()) {
      const auto shard = static_cast<std::int32_t>(rows.Int(1));
      if (mirror.VersionOf(rows.Int(0), shard) < rows.Int(2)) shards.emplace_back(rows.Int(0), shard);
    }
  }
  for (const auto& [schedule, shard] : shards) mirror.Apply(ReadShard(connection, schedule, shard));
}

void MysqlBookingStore::Tell(const Changes& changes) {
  if (changes.concert) mirror_.Put(changes.concert);
  for (const auto& snapshot : changes.snapshots) mirror_.Apply(snapshot);
  for (const auto& moved : changes.moved) mirror_.Apply(moved);
  for (const auto& sold : changes.sold_outs)
    mirror_.SoldOut(sold.concert, sold.schedule, sold.at, sold.whole_concert);
  if (changes.paid_concert != 0) mirror_.Paid(changes.paid_concert, changes.paid_at);
}

Outcome<MysqlBookingStore::SaleOf> MysqlBookingStore::FindSale(Connection& connection, ConcertId concert,
                                                               ScheduleId schedule) {
  auto record = mirror_.RecordOf(concert);
  if (!record) record = ReadConcert(connection, concert);
  if (!record) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
  for (const auto& each : record->schedules) {
    if (each->id == schedule) return SaleOf{record, each};
  }
  return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
}

// Another node may have made the concert a moment ago.
Task<Outcome<Done>> MysqlBookingStore::EnsureKnown(ScheduleId schedule) {
  if (mirror_.RecordOfSchedule(schedule)) co_return Done{};
  const auto read = [this](Connection& connection) -> Outcome<Done> {
    RefreshFrom(connection, mirror_);
    return Done{};
  };
  co_return co_await pool_.Read(read);
}

}  // namespace maejin::mysql
