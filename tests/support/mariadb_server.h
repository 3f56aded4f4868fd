// A real MariaDB of one's own, in a temporary folder, on loopback: for tests and benchmarks. Started from a
// data folder that is prepared once a machine and copied, so that a start takes a tenth of a second.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/mysql/url.h"

namespace maejin::testing_support {

class MariaDbServer {
 public:
  // Starts the server and waits until it accepts connections. Further arguments go to mariadbd. Throws
  // std::runtime_error with the end of the server's log where it does not start.
  explicit MariaDbServer(std::vector<std::string> arguments = {});
  // Kills the server, by its pid, and removes the folder.
  ~MariaDbServer();
  MariaDbServer(const MariaDbServer&) = delete;
  MariaDbServer& operator=(const MariaDbServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::filesystem::path& folder() const { return folder_; }
  // As root, over TCP, and patient.
  mysql::ServerOptions Options(const std::string& database = "maejin") const;
  // "mysql://root@127.0.0.1:port/database?read-timeout-ms=60000"
  std::string Url(const std::string& database = "maejin") const;
  // A fresh, empty database.
  void CreateDatabase(const std::string& name = "maejin") const;

  void Kill();      // SIGKILL, as a crash
  void Stop();      // SIGTERM: an orderly end
  void Pause();     // SIGSTOP
  void Continue();  // SIGCONT
  // On the same folder and port as before, with the same arguments.
  void Start();

 private:
  void WaitUntilReady();
  void End(int signal);

  std::vector<std::string> arguments_;
  std::filesystem::path folder_;
  int port_ = 0;
  pid_t pid_ = 0;
};

// The tests of one process share one server; each takes a database of its own in it.
MariaDbServer& SharedMariaDb();
// A new database in the shared server, by a name nobody used before in this process.
mysql::ServerOptions FreshDatabase();

}  // namespace maejin::testing_support
