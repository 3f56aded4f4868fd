// The event feed in the database. A node gives ids to events after their commit. Every node may do this, one
// node at a time.
#pragma once

#include <atomic>

#include "adapters/mysql/pool.h"
#include "store/event_feed.h"

namespace maejin::mysql {

class MysqlEventFeed final : public EventFeed {
 public:
  // `pool` outlives it.
  explicit MysqlEventFeed(Pool& pool) : pool_(pool) {}

  Task<Outcome<EventPage>> Read(EventQuery query) override;
  // The newest id at the last call of NumberEvents().
  std::int64_t NewestAtOnce() const override { return newest_.load(std::memory_order_acquire); }
  void Prune(Time before) override;

  // Gives ids to all committed events, unless another node is numbering them. Call about twenty times a
  // second, from one thread. Blocks.
  void NumberEvents();

 private:
  // Numbers one batch of events. True: there may be more.
  bool NumberSome();

  Pool& pool_;
  std::atomic<std::int64_t> newest_{0};
};

}  // namespace maejin::mysql
