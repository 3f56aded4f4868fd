// A load generator: keep-alive connections on one epoll loop, each with a few requests in flight. Reports the
// CPU time of the server, because client and server share the cores and requests per second measure both.
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
  int pipeline = 1;  // requests in flight per connection
  std::chrono::milliseconds warm_up{300};
  std::chrono::milliseconds duration{2000};
  // Ends after this many answers, if before `duration`; 0: no limit.
  std::uint64_t most_requests = 0;
  // The text of a request, by its number.
  std::function<std::string(std::uint64_t)> request;
  // Called for every answer, in any order; may be empty.
  std::function<void(int status, std::string_view body)> answered;
  // The server processes, for CPU time.
  std::vector<pid_t> server_pids;
};

struct LoadReport {
  std::uint64_t answers = 0;
  std::uint64_t refused = 0;  // status 400 and above
  double seconds = 0;
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
  double server_cpu_us = 0;  // per answer, user and system
};

// Throws std::runtime_error if a connection fails.
LoadReport Drive(const LoadOptions& options);

// A connected socket, non-blocking or blocking. Throws std::runtime_error.
int Connect(const std::string& address);
int ConnectAndWait(const std::string& address);

// User and system CPU time of a process, in microseconds.
double CpuMicros(pid_t pid);

std::string Describe(const LoadReport& report);

}  // namespace maejin::bench
