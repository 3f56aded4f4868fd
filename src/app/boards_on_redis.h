// Boards in Redis that tell of an embedded database: for the one node that sells.
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
    embedded::ClaimIds claim;
  };
  // Null where the boards in that Redis tell of another database, or cannot be asked; the log says which. What is in
  // `deps` outlives the boards.
  static std::shared_ptr<BoardsOnRedis> Borrow(Dependencies deps);

  redis::RankingStore& store() { return *store_; }
  // For the journal's listener.
  void Deliver(std::span<const BookingEvent> events) { relay_->Deliver(events); }
  // Nothing is handed on any more; what is delivered still is left to the next start.
  void Stop() { relay_->Stop(); }

 private:
  explicit BoardsOnRedis(Dependencies deps);
  bool CatchUp();
  bool Apply(std::vector<BookingEvent> events);

  const Dependencies deps_;
  embedded::EmbeddedRankingHistory history_;
  std::unique_ptr<redis::RankingStore> store_;
  std::optional<embedded::EventRelay> relay_;  // last: its thread uses all the others
};

}  // namespace maejin::app
