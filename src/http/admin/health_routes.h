// What operators and their machines ask: /healthz, /readyz, /metrics, /openapi.yaml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "server/router.h"

namespace maejin::http {

struct ReadinessCheck {
  std::string name;             // "journal"
  std::function<bool()> ready;  // thread-safe, never waits
};

struct HealthRoutes {
  Metrics* metrics = nullptr;
  std::vector<ReadinessCheck> checks;
  // Tells whether the server drains (which is made after its routes). Thread-safe.
  std::function<bool()> draining;
};

// /healthz: 200 while the process answers at all. /readyz: 200 while every check says yes and nothing drains,
// else 503 with the names of the checks that say no.
void AddHealthRoutes(Router& router, HealthRoutes deps);

}  // namespace maejin::http
