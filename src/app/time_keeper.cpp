#include "app/time_keeper.h"

#include "base/log.h"

namespace maejin::app {
namespace {

constexpr Millis kTickEvery{1000};

}  // namespace

TimeKeeper::TimeKeeper(const Clock& source, Metrics& metrics) : clock_(source) {
  metrics.AddGaugeOf("maejin_clock_ahead_seconds",
                     "By how much the server's time is ahead of a clock that was set back.",
                     [this] { return static_cast<double>(clock_.ahead().count()) / 1000; });
}

void TimeKeeper::Resume(std::optional<Time> mark) {
  if (!mark || clock_.Now() >= *mark) return;
  const auto start = *mark + kMarkEvery;
  LogWarning("the clock is {} s behind the last run; time goes on from {}",
             std::chrono::duration_cast<Seconds>(*mark - clock_.Now()).count(), FormatTime(start));
  clock_.NotBefore(start);
}

void TimeKeeper::Start(std::function<void(Time)> write) {
  ticker_.emplace(kTickEvery, [this, write = std::move(write)] {
    clock_.Tick();
    const auto now = clock_.Now();
    if (now < next_mark_) return;
    next_mark_ = now + kMarkEvery;
    write(now);
  });
}

}  // namespace maejin::app
