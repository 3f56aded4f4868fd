// Boards in Redis that tell of an embedded database: for the one node that sells.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "adapters/embedded/event_relay.h"
#include "adapters/embedded/ranking_history.h"
#include "adapters/redis/ranking/ranking_store.h"
#include "app/redis_part.h"

namespace maejin::app {

class LentBoards {
 public:
  struct Parts {
    embedded::Journal& journal;
    std::string database;
    RedisPart& redis;
    Random& random;
    TimeZone zone;
    embedded::ReserveIds claim;
  };
  // Null where the boards in that Redis tell of another database, or cannot be asked; the log says which. What is in
  // `parts` outlives the boards.
  static std::shared_ptr<LentBoards> Borrow(Parts parts);

  redis::RankingStore& store() { return *store_; }
  // For the journal's listener.
  void Deliver(std::span<const BookingEvent> events) { relay_->Deliver(events); }
  // Nothing is handed on any more; what is delivered still is left to the next start.
  void Stop() { relay_->Stop(); }

 private:
  explicit LentBoards(Parts parts);
  bool CatchUp();
  bool Apply(std::vector<BookingEvent> events);

  const Parts parts_;
  embedded::EmbeddedRankingHistory history_;
  std::unique_ptr<redis::RankingStore> store_;
  std::optional<embedded::EventRelay> relay_;  // last: its thread uses all the others
};

}  // namespace maejin::app
