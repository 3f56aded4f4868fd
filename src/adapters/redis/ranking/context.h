// What the parts of the ranking store on Redis share.
#pragma once

#include <memory>

#include "adapters/redis/client/client.h"
#include "adapters/redis/client/in_flight_guard.h"
#include "adapters/redis/ranking/history_boards.h"
#include "adapters/redis/ranking/keys.h"
#include "adapters/redis/ranking/retention.h"
#include "adapters/redis/ranking/sold_out_rows.h"
#include "store/ranking_history.h"

namespace maejin::redis {

// Thread-safe. `client` and `history` outlive it.
struct RankingContext {
  Client& client;
  RankingHistory& history;
  const RankingKeys keys;
  BoardRetention retention;
  HistoryBoards from_database;
  SoldOutRows rows;
  // Counts the store's tasks on the client's thread. Shared with the listener for messages, which may be
  // called while the store ends.
  const std::shared_ptr<InFlightGuard> in_flight = std::make_shared<InFlightGuard>();
};

}  // namespace maejin::redis
