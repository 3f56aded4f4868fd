// The rankings as a part of the application: use cases, routes, metrics and upkeep, put together.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/ticker.h"
#include "config/config.h"
#include "http/ranking/routes.h"

namespace maejin::app {

class RankingPart {
 public:
  // Everything given outlives the part; `stream` also the store, which tells it what moved.
  RankingPart(RankingStore& store, http::RankingStream& stream, const config::Config& config,
              const Clock& clock, Metrics& metrics);

  void AddRoutes(http::Router& router);
  // Retention, stream and reconciliation, on a thread of their own, until Stop() or the end.
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
