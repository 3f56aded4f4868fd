// A MariaDB server in a temporary folder on loopback, for tests and benchmarks. Copies a data folder that is
// prepared once per machine, so a start takes a tenth of a second.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/mysql/url.h"

namespace maejin::testing_support {

class MariaDbServer {
 public:
  // Starts the server with further arguments for mariadbd, and waits until it accepts connections. Throws
  // std::runtime_error with the end of the server's log if it does not start.
  explicit MariaDbServer(std::vector<std::string> arguments = {});
  // Kills the server, by its pid, and removes the folder.
  ~MariaDbServer();
  MariaDbServer(const MariaDbServer&) = delete;
  MariaDbServer& operator=(const MariaDbServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::filesystem::path& folder() const { return folder_; }
  // As root over TCP, with a long read timeout.
  mysql::ServerOptions Options(const std::string& database = "maejin") const;
  // "mysql://root@127.0.0.1:port/database?read-timeout-ms=60000"
  std::string Url(const std::string& database = "maejin") const;
  // A fresh, empty database.
  void CreateDatabase(const std::string& name = "maejin") const;

  void Kill();      // SIGKILL, as a crash
  void Stop();      // SIGTERM: an orderly end
  void Pause();     // SIGSTOP
  void Continue();  // SIGCONT
  // Starts again on the same folder and port with the same arguments.
  void Start();

 private:
  void WaitUntilReady();
  void End(int signal);

  std::vector<std::string> arguments_;
  std::filesystem::path folder_;
  int port_ = 0;
  pid_t pid_ = 0;
};

// One server per test process; each test has its own database.
MariaDbServer& SharedMariaDb();
// Creates a database with an unused name in the shared server.
mysql::ServerOptions FreshDatabase();

}  // namespace maejin::testing_support
