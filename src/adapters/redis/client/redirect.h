// What a node's answer means for the caller in front of a cluster or a failover: done, or ask whom next?
#pragma once

#include <optional>

#include "adapters/redis/client/slots.h"

namespace maejin::redis {

struct Redirect {
  enum class Next : std::uint8_t {
    kDone,      // the reply is the answer, an ordinary error included
    kMoved,     // the slot lives at `node` now: remember it, ask there
    kAsk,       // the slot is on its way to `node`: ask there once, after ASKING
    kTryAgain,  // in between: ask the same node again shortly
    kLost,  // this node cannot serve (demoted, loading, cluster down): look for the right one, then ask again
  };
  Next next = Next::kDone;
  Slot slot = 0;
  Endpoint node;
};

// `asked` is the node that answered. Nothing was executed where the answer is anything but kDone.
Redirect ReadRedirect(const Reply& reply, const Endpoint& asked);

}  // namespace maejin::redis
