// Redirections by a cluster or after a failover: whether a reply is final, and which server gets the command
// next.
#pragma once

#include <optional>

#include "adapters/redis/client/hash_slots.h"

namespace maejin::redis {

struct Redirect {
  enum class Next : std::uint8_t {
    kDone,      // the reply is final; it may be an ordinary error
    kMoved,     // the hash slot belongs to `node`: update the map, retry there
    kAsk,       // the hash slot is migrating to `node`: retry there once, after ASKING
    kTryAgain,  // the migration has moved some of the keys: retry the same server after a pause
    kLost,      // the server cannot serve (demoted, loading, cluster down): find the right one, retry
  };
  Next next = Next::kDone;
  HashSlot hash_slot = 0;
  Endpoint node;
};

// `asked`: the server that answered. Unless the result is kDone, the server did not execute the command.
Redirect ReadRedirect(const Reply& reply, const Endpoint& asked);

}  // namespace maejin::redis
