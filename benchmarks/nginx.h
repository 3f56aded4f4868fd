// nginx with one `return 200` location, as the yardstick: started on a free port, stopped by its pid.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

class Nginx {
 public:
  // `body`: what it answers, as application/json. Throws std::runtime_error where nginx is missing.
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

// A port nobody listens on.
int FreePort();

}  // namespace maejin::bench
