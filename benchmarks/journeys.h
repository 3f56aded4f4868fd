// A load generator for requests that depend on earlier answers: each connection runs journeys in turn (hold,
// then pay with the returned id). One epoll loop, one request in flight per connection.
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
  int steps = 1;  // requests per journey
  // The text of the request of a step.
  std::function<std::string(std::uint64_t journey, int step)> request;
  // False ends the journey and counts it as broken.
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

// Throws std::runtime_error if a connection fails.
JourneyReport Walk(const JourneyOptions& options);

// The body of the answer to one request. Throws std::runtime_error if it is refused.
std::string Ask(const std::string& address, const std::string& text);

// The text of a request with a JSON body.
std::string PostText(std::string_view path, std::string_view headers, std::string_view body);
// A field of a flat JSON answer, or empty.
std::string_view FieldOf(std::string_view body, std::string_view name);

}  // namespace maejin::bench
