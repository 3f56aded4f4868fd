// Builds the ranking use cases and routes, and runs retention and reconciliation.
#pragma once

#include <optional>

#include "app/back_ends.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/ticker.h"
#include "config/config.h"
#include "http/ranking/routes.h"

namespace maejin::app {

class RankingModule {
 public:
  // The references outlive the module. `stream` also outlives the store, which publishes movements to it.
  RankingModule(const BackEnds::Ports& ports, http::RankingStream& stream, const config::Config& config,
                Metrics& metrics);

  void AddRoutes(http::Router& router);
  // Runs retention, stream and reconciliation on a separate thread until StopUpkeep() or destruction.
  void StartUpkeep();
  void StopUpkeep() { upkeep_.reset(); }

 private:
  void Upkeep();

  const Clock& clock_;
  const TimeZone zone_;
  const Seconds reconcile_every_;
  RankingStore& store_;
  ReadRanking read_;
  ReadProgress progress_;
  KeepRankings keep_;
  http::RankingStream& stream_;
  Time next_reconcile_;  // upkeep thread only
  std::optional<Ticker> upkeep_;
};

}  // namespace maejin::app
