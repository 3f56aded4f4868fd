// Routes for monitoring: /healthz, /readyz, /metrics, /openapi.yaml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/time.h"
#include "server/router.h"

namespace maejin::http {

struct ReadinessCheck {
  std::string name;             // "journal"
  std::function<bool()> ready;  // thread-safe, never waits
};

struct HealthRoutes {
  Metrics* metrics = nullptr;
  std::vector<ReadinessCheck> checks;
  // The machine's clock minus the time that this server uses. Thread-safe.
  std::function<Millis()> clock_offset = {};
  // Whether the server drains. A function, because the server is made after its routes. Thread-safe.
  std::function<bool()> draining = {};
};

// /healthz: 200 while the process answers. /readyz: 200 while every check passes and the server does not
// drain, else 503, with the result of every check.
void AddHealthRoutes(Router& router, HealthRoutes deps);

}  // namespace maejin::http
