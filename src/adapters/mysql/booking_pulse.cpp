// Holds stand still while nobody can reach the database.
#include "adapters/mysql/booking_store.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

constexpr auto kPulseEvery = Seconds{1};
// A shorter gap between two pulses of anybody is no outage.
constexpr Millis kOutage{3000};

}  // namespace

// By the database's clock, which is one for all nodes. Whoever comes first after an outage moves the deadlines; the
// others find a fresh pulse.
Task<Outcome<bool>> MysqlBookingStore::GiveLostTime() {
  return pool_.Write([](Connection& connection, const Attempt&) -> Outcome<bool> {
    std::optional<Time> alive_at;
    Time now;
    {
      auto row = connection.Query("SELECT alive_at, UTC_TIMESTAMP(3) FROM pulse WHERE one = 1 FOR UPDATE");
      if (!row.Next()) throw MysqlError(kDamaged, "the pulse is missing");
      alive_at = row.OptionalAt(0);
      now = row.At(1);
    }
    connection.Execute("UPDATE pulse SET alive_at = ? WHERE one = 1", now);
    if (!alive_at || now - *alive_at < kOutage) return false;
    const auto lost = now - *alive_at;
    const auto moved = connection.Execute(
        "UPDATE reservations SET expires_at = expires_at + INTERVAL ? * 1000 MICROSECOND, "
        "due_at = due_at + INTERVAL ? * 1000 MICROSECOND WHERE due_at > ?",
        lost.count(), lost.count(), *alive_at);
    LogInfo("database: nobody reached it for {} ms; {} holds go on where they stopped", lost.count(), moved);
    return true;
  });
}

bool MysqlBookingStore::Pulse() {
  const auto now = std::chrono::steady_clock::now();
  if (now - pulsed_at_.load() < kPulseEvery) return true;
  if (!RunTask(GiveLostTime())) return false;
  pulsed_at_ = now;
  return true;
}

}  // namespace maejin::mysql
