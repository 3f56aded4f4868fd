#include "server/server_metrics.h"

#include <algorithm>

namespace maejin::http {

ServerMetrics::ServerMetrics(Metrics& metrics, const Router& router)
    : shed(metrics.AddCounter("maejin_http_shed_total", "Requests shed because too many were in flight.")),
      accepted(metrics.AddCounter("maejin_http_connections_accepted_total", "Connections accepted.")),
      refused_connections(metrics.AddCounter(
          "maejin_http_connections_refused_total",
          "Connections refused because the total limit or the limit per address was reached.")),
      refused_by_reserve(metrics.AddCounter("maejin_http_reserve_refused_total",
                                            "Requests refused because only reserved connections were left.")),
      refused_streams(metrics.AddCounter("maejin_http_streams_refused_total",
                                         "Event streams refused: too many of one token, user or address.")),
      malformed(metrics.AddCounter("maejin_http_malformed_total", "Malformed requests.")),
      handshakes(metrics.AddCounter("maejin_tls_handshakes_total", "TLS handshakes, by result.",
                                    {{"result", "done"}})),
      failed_handshakes(metrics.AddCounter("maejin_tls_handshakes_total", "TLS handshakes, by result.",
                                           {{"result", "failed"}})),
      resumed(metrics.AddCounter("maejin_tls_resumptions_total",
                                 "TLS handshakes that resumed an earlier session by its ticket.")),
      streams_opened(metrics.AddCounter("maejin_http_streams_opened_total", "Event streams opened.")),
      streams_closed(metrics.AddCounter("maejin_http_streams_closed_total", "Event streams closed.")) {
  for (const auto& route : router.routes()) {
    routes_.push_back(Register(metrics, std::string(Name(route->method)), route->pattern));
  }
  routes_.push_back(Register(metrics, "any", "none"));
  for (std::size_t i = 0; i < kRefusalCount; ++i) {
    const auto code = std::string(Code(static_cast<Refusal>(i)));
    refusals_.push_back(&metrics.AddCounter("maejin_refusals_total",
                                            "Requests refused, by the problem's code.", {{"code", code}}));
  }
}

ServerMetrics::PerRoute ServerMetrics::Register(Metrics& metrics, const std::string& method,
                                                const std::string& pattern) {
  PerRoute made;
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    const auto status = kStatuses[i] == 0 ? std::string("other") : std::to_string(kStatuses[i]);
    made.by_status[i] = &metrics.AddCounter("maejin_http_requests_total", "Requests answered.",
                                            {{"method", method}, {"route", pattern}, {"status", status}});
  }
  made.latency = &metrics.AddHistogram("maejin_http_request_duration_seconds",
                                       "Time from the last byte of a request to its response, in seconds.",
                                       LatencyBounds(), {{"method", method}, {"route", pattern}});
  return made;
}

void ServerMetrics::CountAnswer(const Route* route, int status, std::chrono::nanoseconds took) {
  auto& mine = route ? routes_[route->number] : routes_.back();
  const auto found = std::find(kStatuses.begin(), kStatuses.end(), status);
  const auto index =
      found == kStatuses.end() ? kStatuses.size() - 1 : static_cast<std::size_t>(found - kStatuses.begin());
  mine.by_status[index]->Add();
  mine.latency->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace maejin::http
