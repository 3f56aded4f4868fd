// nginx with one `return 200` location on a free port: the baseline of the benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

// Parts of a configuration: directives of the main context, and of the http block with its server.
struct NginxSetup {
  std::string main;
  std::string http;
};

class Nginx {
 public:
  // Answers `body` as application/json. Throws std::runtime_error if nginx is missing.
  Nginx(const std::string& body, int workers);
  // Runs another configuration, for a folder and a port.
  Nginx(const std::function<NginxSetup(const std::string& folder, int port)>& setup, int workers);
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
