#include "app/ranking_part.h"

#include "base/run_task.h"

namespace maejin::app {
namespace {

constexpr Millis kUpkeepEvery{1000};

}  // namespace

RankingPart::RankingPart(RankingStore& store, http::RankingStream& stream, const config::Config& config,
                         const Clock& clock, Metrics& metrics)
    : clock_(clock),
      zone_(TimeZone::Find(config.timezone).value()),
      reconcile_every_(config.reconcile_every),
      store_(store),
      read_(store_, zone_, clock),
      progress_(store_, zone_, clock),
      keep_(store_, clock),
      stream_(stream),
      next_reconcile_(clock.Now() + reconcile_every_) {
  store_.OnMovement([&stream](const RankingMovement& movement) { stream.Announce(movement); });
  metrics.AddGaugeOf("maejin_ranking_listeners", "Listeners of the stream of movements",
                     [this] { return static_cast<double>(stream_.listeners()); });
}

void RankingPart::AddRoutes(http::Router& router) {
  http::AddRankingRoutes(router, {.read = &read_,
                                  .progress = &progress_,
                                  .keep = &keep_,
                                  .stream = &stream_,
                                  .clock = &clock_,
                                  .zone = zone_});
}

void RankingPart::StartUpkeep() {
  upkeep_.emplace(kUpkeepEvery, [this] { Upkeep(); });
}

void RankingPart::Upkeep() {
  const auto now = clock_.Now();
  store_.Tick(now);
  const auto versions = store_.VersionsAtOnce();
  stream_.Tick(now, versions ? versions->progress : 0);
  if (now < next_reconcile_) return;
  next_reconcile_ = now + reconcile_every_;
  // What could not be compared now is compared the next time; the store has said so in the log.
  [[maybe_unused]] const auto report = RunTask(keep_.Reconcile());
}

}  // namespace maejin::app
