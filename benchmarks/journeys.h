// A load generator for requests that depend on the answers before them: each connection walks one journey
// after the other (hold, then pay with the id that came back). One epoll loop, one request under way per
// connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::bench {

struct JourneyAnswer {
  int status = 0;
  std::string_view body;  // valid during the call
};

struct JourneyOptions {
  std::string address;  // "127.0.0.1:8080"
  int connections = 64;
  std::uint64_t journeys = 1;
  int steps = 1;  // requests of a journey
  // The whole text of step `step` of journey `journey`.
  std::function<std::string(std::uint64_t journey, int step)> request;
  // False: the journey ends here and counts as broken.
  std::function<bool(std::uint64_t journey, int step, const JourneyAnswer& answer)> answered;
};

struct StepReport {
  double p50_us = 0;
  double p99_us = 0;
  double max_us = 0;
};
struct JourneyReport {
  double seconds = 0;
  std::uint64_t broken = 0;
  std::vector<StepReport> steps;
};

// Throws std::runtime_error where a connection cannot be made or breaks.
JourneyReport Walk(const JourneyOptions& options);

// One request; its answer's body. Throws std::runtime_error where it is refused.
std::string Ask(const std::string& address, const std::string& text);

// A whole request with a JSON body.
std::string PostText(std::string_view path, std::string_view headers, std::string_view body);
// The text of a field of a flat JSON answer, or empty.
std::string_view FieldOf(std::string_view body, std::string_view name);

}  // namespace maejin::bench
