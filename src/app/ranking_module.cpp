#include "app/ranking_module.h"

#include "base/run_task.h"

namespace maejin::app {
namespace {

constexpr Millis kUpkeepEvery{1000};

}  // namespace

RankingModule::RankingModule(const BackEnds::Ports& ports, http::RankingStream& stream,
                             const config::Config& config, Metrics& metrics)
    : clock_(ports.clock),
      zone_(TimeZone::Find(config.timezone).value()),
      reconcile_every_(config.reconcile_every),
      store_(ports.rankings),
      read_(store_, ports.bookings, zone_, clock_),
      progress_(store_, ports.bookings, zone_, clock_),
      keep_(store_, ports.corrections, ports.audit, clock_),
      stream_(stream),
      next_reconcile_(clock_.Now() + reconcile_every_) {
  store_.OnMovement([&stream](const RankingMovement& movement) { stream.Announce(movement); });
  metrics.AddGaugeOf("maejin_ranking_listeners", "Clients that listen to the ranking stream.",
                     [this] { return static_cast<double>(stream_.listeners()); });
}

void RankingModule::AddRoutes(http::Router& router) {
  http::AddRankingRoutes(router, {.read = &read_,
                                  .progress = &progress_,
                                  .keep = &keep_,
                                  .stream = &stream_,
                                  .clock = &clock_,
                                  .zone = zone_});
}

void RankingModule::StartUpkeep() {
  upkeep_.emplace(kUpkeepEvery, [this] { Upkeep(); });
}

void RankingModule::Upkeep() {
  const auto now = clock_.Now();
  store_.Tick(now);
  const auto versions = store_.VersionsAtOnce();
  stream_.Tick(now, versions ? versions->progress : 0);
  if (now < next_reconcile_) return;
  next_reconcile_ = now + reconcile_every_;
  // A failed comparison is logged by the store and repeated next time.
  [[maybe_unused]] const auto report = RunTask(keep_.Reconcile());
}

}  // namespace maejin::app
