#include "adapters/mysql/outage_clock.h"

#include <algorithm>

#include "base/log.h"
#include "base/run_task.h"
#include "base/time.h"

namespace maejin::mysql {
namespace {

constexpr auto kBeatEvery = Seconds{1};
// A shorter gap between two beats is not an outage.
constexpr Millis kShortestOutage{3000};

}  // namespace

std::optional<Millis> OutageClock::LongestOutage(const Instant& now) const {
  const std::lock_guard lock(mutex_);
  if (!reached_) return {};
  const auto steady = std::chrono::ceil<Millis>(now.steady - reached_->steady);
  return std::max(steady, std::chrono::ceil<Millis>(now.wall - reached_->wall));
}

void OutageClock::Reached(const Instant& at) {
  const std::lock_guard lock(mutex_);
  if (!reached_ || reached_->steady < at.steady) reached_ = at;
}

Task<Outcome<bool>> OutageClock::ExtendAfterOutage() {
  const Instant begun{std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
  auto extend = [this](Connection& connection, const Attempt&) -> Outcome<bool> {
    std::optional<Time> alive_at;
    Time now;
    {
      auto row = connection.Query("SELECT alive_at, UTC_TIMESTAMP(3) FROM pulse WHERE one = 1 FOR UPDATE");
      if (!row.Next()) throw MysqlError(kDamaged, "the row of table pulse is missing");
      alive_at = row.OptionalAt(0);
      now = row.At(1);
    }
    connection.Execute("UPDATE pulse SET alive_at = ? WHERE one = 1", now);
    if (!alive_at || now - *alive_at < kShortestOutage) return false;
    const Instant here{std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
    const auto longest = LongestOutage(here);
    const auto outage = longest ? std::min<Millis>(now - *alive_at, *longest) : now - *alive_at;
    if (outage < kShortestOutage) {
      LogWarning("database: its clock jumped by {} ms; no hold moves by the jump", (now - *alive_at).count());
      return false;
    }
    const auto extended = connection.Execute(
        "UPDATE reservations SET expires_at = expires_at + INTERVAL ? * 1000 MICROSECOND, "
        "due_at = due_at + INTERVAL ? * 1000 MICROSECOND WHERE due_at > ?",
        outage.count(), outage.count(), *alive_at);
    LogInfo("database unreachable for {} ms; extended {} holds", outage.count(), extended);
    return true;
  };
  auto extended = co_await pool_.Write(std::move(extend));
  if (extended) Reached(begun);
  co_return extended;
}

bool OutageClock::Beat() {
  const auto now = std::chrono::steady_clock::now();
  if (now - beat_at_.load() < kBeatEvery) return true;
  if (!RunTask(ExtendAfterOutage())) return false;
  beat_at_ = now;
  return true;
}

}  // namespace maejin::mysql
