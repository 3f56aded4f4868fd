// Boards on Redis that are fed from an embedded database, by the one node that owns it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "adapters/embedded/event_relay.h"
#include "adapters/embedded/ranking_history.h"
#include "adapters/redis/ranking/ranking_store.h"
#include "app/redis_module.h"

namespace maejin::app {

class BoardsOnRedis {
 public:
  struct Dependencies {
    embedded::Journal& journal;
    std::string database;
    RedisModule& redis;
    Random& random;
    TimeZone zone;
    embedded::ReserveIds reserve_ids;
  };
  // Null if the boards on that Redis belong to another database, or Redis does not answer; the log says
  // which. The references in `deps` outlive the boards.
  static std::shared_ptr<BoardsOnRedis> Open(Dependencies deps);

  redis::RankingStore& store() { return *store_; }
  // Called by the journal's listener, with committed events.
  void Deliver(std::span<const BookingEvent> events) { relay_->Deliver(events); }
  // Stops the relay. Events delivered later are applied at the next start.
  void Stop() { relay_->Stop(); }

 private:
  explicit BoardsOnRedis(Dependencies deps);
  bool CatchUp();
  bool Apply(std::vector<BookingEvent> events);

  const Dependencies deps_;
  embedded::EmbeddedRankingHistory history_;
  std::unique_ptr<redis::RankingStore> store_;
  std::optional<embedded::EventRelay> relay_;  // last: its thread uses the other members
};

}  // namespace maejin::app
