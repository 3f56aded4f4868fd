// The rankings as a part of the application: store, use cases, routes, metrics and upkeep, put together.
#pragma once

#include <optional>
#include <span>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/ranking_store.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/ticker.h"
#include "cli/config.h"
#include "http/ranking_routes.h"

namespace maejin::cli {

class RankingPart {
 public:
  // Loads the boards. Everything given outlives the part. Throws SqliteError.
  RankingPart(embedded::Journal& journal, const std::string& database, const Config& config,
              const Clock& clock, Metrics& metrics);

  void AddRoutes(http::Router& router);
  // For the journal's listener.
  void Applied(std::span<const BookingEvent> events) { store_.Applied(events); }
  // Retention, stream and reconciliation, on a thread of their own, until Stop() or the end.
  void StartUpkeep();
  void StopUpkeep() { upkeep_.reset(); }

  embedded::EmbeddedRankingStore& store() { return store_; }

 private:
  void Upkeep();

  const Clock& clock_;
  const TimeZone zone_;
  const Seconds reconcile_every_;
  embedded::EmbeddedRankingStore store_;
  ReadRanking read_;
  ReadProgress progress_;
  KeepRankings keep_;
  http::RankingStream stream_;
  Time next_reconcile_;  // upkeep thread only
  std::optional<Ticker> upkeep_;
};

}  // namespace maejin::cli
