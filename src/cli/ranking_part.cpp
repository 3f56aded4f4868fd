#include "cli/ranking_part.h"

#include "base/run_task.h"

namespace maejin::cli {
namespace {

constexpr Millis kUpkeepEvery{1000};

}  // namespace

RankingPart::RankingPart(embedded::Journal& journal, const std::string& database, const Config& config,
                         const Clock& clock, Metrics& metrics)
    : clock_(clock),
      zone_(TimeZone::Find(config.timezone).value()),
      reconcile_every_(config.reconcile_every),
      store_(journal, {database, zone_, clock.Now()}),
      read_(store_, zone_, clock),
      progress_(store_, zone_, clock),
      keep_(store_, clock),
      next_reconcile_(clock.Now() + reconcile_every_) {
  store_.OnMovement([this](const RankingMovement& movement) { stream_.Announce(movement); });
  metrics.AddCounterOf("maejin_ranking_drift_total",
                       "Rows of boards that differed from the database and were repaired",
                       [this] { return static_cast<double>(store_.drift()); });
  metrics.AddGaugeOf("maejin_ranking_memory_bytes", "Memory of the sold-out tables and boards",
                     [this] { return static_cast<double>(store_.bytes()); });
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
  stream_.Tick(now, store_.VersionsAtOnce()->progress);
  if (now < next_reconcile_) return;
  next_reconcile_ = now + reconcile_every_;
  // What could not be compared now is compared the next time; the store has said so in the log.
  [[maybe_unused]] const auto report = RunTask(keep_.Reconcile());
}

}  // namespace maejin::cli
