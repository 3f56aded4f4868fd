#include "adapters/mysql/booking_store.h"

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

constexpr Millis kRefreshAllEvery{500};
// A node that sells is busy with its own customers: the others' news take a part of its time, and of the database's.
constexpr Millis kRefreshFor{30};

}  // namespace

MysqlBookingStore::MysqlBookingStore(Pool& pool, Random& random)
    : pool_(pool),
      random_(random),
      holds_(
          pool,
          [this](Connection& connection, const SharedHolds::Members& members) {
            return HoldTogether(connection, members);
          },
          [this](Connection& connection, const Attempt& attempt, const HoldTry& wanted) {
            return DecideHold(connection, attempt, wanted);
          }),
      payments_(
          pool,
          [this](Connection& connection, const SharedPayments::Members& members) {
            return PayTogether(connection, members);
          },
          [this](Connection& connection, const Attempt&, const PaymentTry& wanted) {
            return DecidePayment(connection, wanted, true);
          }) {}

Outcome<Done> MysqlBookingStore::Load(Time now) {
  auto taken = RunTask(pool_.Write([now](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
    connection.Execute("INSERT INTO nodes (started_at) VALUES (?)", now);
    return connection.LastInsertId();
  }));
  if (!taken) return taken.error();
  // From the first moment: a database that goes away before the first sweep takes no time from anybody either.
  if (!Pulse()) return Refusal::kUnavailable;
  mirror_.Start(*taken, now);
  return RunTask(pool_.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshFrom(connection);
    return Done{};
  }));
}

void MysqlBookingStore::Refresh() {
  if (!pool_.Connected()) return;
  // Refused: the database is away, and the mirror stays as it is.
  (void)RunTask(pool_.Read([this](Connection& connection) -> Outcome<Done> {
    RefreshFrom(connection);
    return Done{};
  }));
}

void MysqlBookingStore::RefreshOften() {
  if (!pool_.Connected()) return;
  const auto moving = mirror_.Moving();
  const auto now = std::chrono::steady_clock::now();
  if (now - refreshed_at_ >= kRefreshAllEvery) {
    refreshed_at_ = now;
    (void)RunTask(pool_.Read([this](Connection& connection) -> Outcome<Done> {
      RefreshConcerts(connection);
      RefreshSeats(connection, "", kRefreshFor);
      return Done{};
    }));
  }
  if (moving.empty()) return;
  (void)RunTask(pool_.Read([&](Connection& connection) -> Outcome<Done> {
    RefreshSeats(connection, fmt::format(" WHERE schedule_id IN ({})", fmt::join(moving, ",")), kRefreshFor);
    return Done{};
  }));
}

void MysqlBookingStore::RefreshFrom(Connection& connection) {
  RefreshConcerts(connection);
  RefreshSeats(connection, "", Seconds{60});
}

void MysqlBookingStore::RefreshConcerts(Connection& connection) {
  std::vector<ConcertId> changed;
  {
    auto rows = connection.Query("SELECT id, version FROM concerts");
    while (rows.Next()) {
      if (mirror_.VersionOf(rows.Int(0)) < rows.Int(1)) changed.push_back(rows.Int(0));
    }
  }
  for (const auto id : changed) {
    if (auto concert = ReadConcert(connection, id)) mirror_.Put(std::move(concert));
  }
}

// Reads the versions of groups of seats, `which` of them, and the seats of those that changed; of so many as `time` allows, and
// the next time of others.
void MysqlBookingStore::RefreshSeats(Connection& connection, const std::string& which, Millis time) {
  std::vector<std::pair<ScheduleId, std::int32_t>> shards;
  {
    auto rows = connection.Query("SELECT schedule_id, shard, version FROM seat_counts" + which);
    while (rows.Next()) {
      const auto shard = static_cast<std::int32_t>(rows.Int(1));
      if (mirror_.VersionOf(rows.Int(0), shard) < rows.Int(2)) shards.emplace_back(rows.Int(0), shard);
    }
  }
  const auto end = std::chrono::steady_clock::now() + time;
  for (std::size_t i = 0; i < shards.size() && std::chrono::steady_clock::now() < end; ++i) {
    const auto& [schedule, shard] = shards[refreshed_shards_++ % shards.size()];
    mirror_.Apply(ReadShard(connection, schedule, shard));
  }
}

void MysqlBookingStore::Learn(Connection& connection, ConcertId concert) {
  auto record = ReadConcert(connection, concert);
  if (!record) return;
  mirror_.Put(record);
  for (const auto& schedule : record->schedules) {
    for (const auto& shard : schedule->shards)
      mirror_.Apply(ReadShard(connection, schedule->id, shard.shard));
  }
}

void MysqlBookingStore::Tell(const Changes& changes) {
  if (changes.concert) mirror_.Put(changes.concert);
  for (const auto& snapshot : changes.snapshots) mirror_.Apply(snapshot);
  for (const auto& moved : changes.moved) mirror_.Apply(moved);
  for (const auto& sold : changes.sold_outs)
    mirror_.SoldOut(sold.concert, sold.schedule, sold.at, sold.whole_concert);
  if (changes.paid_concert != 0) mirror_.Paid(changes.paid_concert, changes.paid_at);
  if (!counters_) return;
  BookingChanges rows;
  for (const auto& counted : changes.counted) rows.rows.push_back({&counted.reservation, counted.added});
  counters_->Count(rows);
}

Outcome<MysqlBookingStore::SaleOf> MysqlBookingStore::FindSale(Connection& connection, ConcertId concert,
                                                               ScheduleId schedule, Time now) {
  auto record = mirror_.RecordOf(concert);
  // Somebody has a reservation, so the concert is open: another node opened it, and this one has not heard yet.
  const bool heard = record && record->details.booking_open_at && *record->details.booking_open_at <= now;
  if (!heard) record = ReadConcert(connection, concert);
  if (!record) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
  for (const auto& each : record->schedules) {
    if (each->id == schedule) return SaleOf{record, each};
  }
  return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
}

Task<Outcome<Done>> MysqlBookingStore::LookForConcert(ConcertId concert) {
  if (mirror_.RecordOf(concert)) co_return Done{};
  const auto read = [this, concert](Connection& connection) -> Outcome<Done> {
    Learn(connection, concert);
    return Done{};
  };
  co_return co_await pool_.Read(read);
}

Task<Outcome<Done>> MysqlBookingStore::LookForSchedule(ScheduleId schedule) {
  if (mirror_.RecordOfSchedule(schedule)) co_return Done{};
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
  co_return co_await pool_.Read(read);
}

}  // namespace maejin::mysql
