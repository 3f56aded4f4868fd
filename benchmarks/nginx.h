// nginx with one `return 200` location on a free port: the baseline of the benchmarks.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

class Nginx {
 public:
  // Answers `body` as application/json. Throws std::runtime_error if nginx is missing.
  Nginx(const std::string& body, int workers);
  ~Nginx();
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  const std::string& address() const { return address_; }
  // The worker processes.
  std::vector<pid_t> pids() const;

 private:
  std::string folder_;
  std::string address_;
  pid_t master_ = -1;
};

// An unused port.
int FreePort();

}  // namespace maejin::bench
