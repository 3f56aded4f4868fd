// The program on a new data folder and a free port, for benchmarks.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace maejin::bench {

class MaejinProcess {
 public:
  // Runs $MAEJIN_BINARY serve with `flags`. Throws std::runtime_error if it does not start.
  explicit MaejinProcess(const std::vector<std::string>& flags = {});
  ~MaejinProcess();
  MaejinProcess(const MaejinProcess&) = delete;
  MaejinProcess& operator=(const MaejinProcess&) = delete;

  // Sends SIGTERM and waits for the end. The destructor removes the folder.
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
