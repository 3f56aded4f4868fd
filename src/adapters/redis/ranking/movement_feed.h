// Announces new sold-outs with their ranks: to this node's listener, and over Redis pub/sub to the listeners
// of other nodes.
#pragma once

#include <functional>
#include <string>

#include "adapters/redis/ranking/board_reader.h"
#include "adapters/redis/ranking/context.h"

namespace maejin::redis {

// Thread-safe, except Listen() and Stop().
class MovementFeed {
 public:
  using Listener = std::function<void(const RankingMovement&)>;

  // `node`: differs between nodes. Both references outlive it.
  MovementFeed(RankingContext& context, BoardReader& reader, std::string node)
      : context_(context), reader_(reader), node_(std::move(node)) {}

  // Call before the first announcement. Movements of other nodes arrive on the client's thread.
  void Listen(Listener listener);
  // Ends the subscription. Messages that arrived before are still handled; context.in_flight waits for them.
  void Stop() { subscription_ = {}; }

  // Call once for each new row.
  Task<void> Announce(ConcertSoldOut sold_out);
  Task<void> Announce(ScheduleSoldOut sold_out);

 private:
  // Calls the listener with the row's current rank.
  Task<void> Report(ConcertSoldOut sold_out);
  Task<void> Report(ScheduleSoldOut sold_out);
  template <class SoldOut>
  Task<void> FindAndReport(std::int64_t id);
  Task<void> OnMessage(std::string message);
  void Publish(char kind, std::int64_t id);

  RankingContext& context_;
  BoardReader& reader_;
  const std::string node_;
  Listener listener_;
  Client::Subscription subscription_;
};

}  // namespace maejin::redis
