// A load generator for benchmarks: keep-alive connections on one epoll loop, each with a few requests under
// way. It tells what the server spent, not only what the client saw: two cores hold both, so requests per
// second say little about the server alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

struct LoadOptions {
  std::string address;  // "127.0.0.1:8080"
  int connections = 64;
  int pipeline = 1;  // requests under way on each connection
  std::chrono::milliseconds warm_up{300};
  std::chrono::milliseconds duration{2000};
  // Ends after so many answers, if before `duration`; 0: no such end.
  std::uint64_t most_requests = 0;
  // The whole text of the next request, by its number.
  std::function<std::string(std::uint64_t)> request;
  // Told of every answer, in no order; may be empty.
  std::function<void(int status, std::string_view body)> answered;
  // Processes whose CPU time is counted as the server's.
  std::vector<pid_t> server_pids;
};

struct LoadReport {
  std::uint64_t answers = 0;
  std::uint64_t refused = 0;  // statuses of 400 and above
  double seconds = 0;
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
  double server_cpu_us = 0;  // per answer, user and system
};

// Throws std::runtime_error where a connection cannot be made or breaks.
LoadReport Drive(const LoadOptions& options);

// A connected socket, one that does not wait or one that does. Throw std::runtime_error.
int Connect(const std::string& address);
int ConnectAndWait(const std::string& address);

// User and system time of a process so far, in microseconds.
double CpuMicros(pid_t pid);

std::string Describe(const LoadReport& report);

}  // namespace maejin::bench
