// The clock of a node on Redis: its own clock corrected to Redis's, so that all nodes agree.
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
