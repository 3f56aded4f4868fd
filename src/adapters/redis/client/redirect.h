// Redirections of a cluster or a failover: whether a reply is final, and which node to ask next.
#pragma once

#include <optional>

#include "adapters/redis/client/hash_slots.h"

namespace maejin::redis {

struct Redirect {
  enum class Next : std::uint8_t {
    kDone,      // the reply is final; it may be an ordinary error
    kMoved,     // the hash slot belongs to `node`: update the map, retry there
    kAsk,       // the hash slot is migrating to `node`: retry there once, after ASKING
    kTryAgain,  // the keys are split by the migration: retry the same node shortly
    kLost,      // the node cannot serve (demoted, loading, cluster down): find the right one, then retry
  };
  Next next = Next::kDone;
  HashSlot hash_slot = 0;
  Endpoint node;
};

// `asked`: the node that answered. Unless the result is kDone, the command was not executed.
Redirect ReadRedirect(const Reply& reply, const Endpoint& asked);

}  // namespace maejin::redis
