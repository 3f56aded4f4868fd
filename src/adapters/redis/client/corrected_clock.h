// The clock of a node on Redis, which all nodes share; the node's own clock until Redis has told its time.
#pragma once

#include "adapters/redis/client/client.h"
#include "base/clock.h"

namespace maejin::redis {

class CorrectedClock final : public Clock {
 public:
  // Both outlive it.
  CorrectedClock(const Clock& own, Client& client) : own_(own), client_(client) {}
  Time Now() const override { return client_.Corrected(own_.Now()); }

 private:
  const Clock& own_;
  Client& client_;
};

}  // namespace maejin::redis
