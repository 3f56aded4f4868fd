// The real program on a fresh data folder, for benchmarks: started on a free port, stopped by its pid.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

class MaejinProcess {
 public:
  // $MAEJIN_BINARY serve, with `flags` added. Throws std::runtime_error where it does not start.
  explicit MaejinProcess(const std::vector<std::string>& flags = {});
  ~MaejinProcess();
  MaejinProcess(const MaejinProcess&) = delete;
  MaejinProcess& operator=(const MaejinProcess&) = delete;

  // SIGTERM, and waits for the end; its folder stays until the object goes.
  void Stop();

  const std::string& folder() const { return folder_; }
  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }
  const std::string& admin_key() const { return admin_key_; }

 private:
  std::string folder_;
  std::string address_;
  std::string admin_key_;
  pid_t pid_ = -1;
};

}  // namespace maejin::bench
