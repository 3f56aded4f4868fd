// What the server counts: requests by route and status, latency by route, refusals by code, connections, shed
// load.
#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "base/metrics.h"
#include "server/router.h"

namespace maejin::http {

class ServerMetrics {
 public:
  ServerMetrics(Metrics& metrics, const Router& router);

  // `route` null: no route was found.
  void CountAnswer(const Route* route, int status, std::chrono::nanoseconds took);

  void CountRefusal(Refusal refusal) { refusals_[static_cast<std::size_t>(Shown(refusal))]->Add(); }

  Counter& shed;
  Counter& accepted;
  Counter& refused_connections;
  Counter& refused_by_reserve;
  Counter& refused_streams;
  Counter& malformed;
  Counter& handshakes;
  Counter& failed_handshakes;
  Counter& resumed;
  Counter& streams_opened;
  Counter& streams_closed;

 private:
  // HTTP statuses with their own series. 0 is the series "other", for every other status.
  static constexpr std::array<int, 20> kStatuses = {200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                                                    408, 409, 413, 415, 422, 429, 431, 500, 503, 0};
  struct PerRoute {
    std::array<Counter*, kStatuses.size()> by_status{};
    Histogram* latency = nullptr;
  };
  PerRoute Register(Metrics& metrics, const std::string& method, const std::string& pattern);

  std::vector<PerRoute> routes_;    // by Route::number; the last one: requests without a route
  std::vector<Counter*> refusals_;  // by Refusal
};

}  // namespace maejin::http
