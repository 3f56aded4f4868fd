// The protocol of a service manager such as systemd, without its library: listening sockets that it passed
// (LISTEN_FDS), state messages (NOTIFY_SOCKET), and the watchdog (WATCHDOG_USEC).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/time.h"

namespace maejin::app {

// What the environment says. Variables for another process id are ignored.
struct ServiceEnvironment {
  int sockets = 0;                                // listening sockets: descriptors 3, 4, …
  std::string notify_address = {};                // empty: no service manager; "@…" is an abstract address
  std::optional<Millis> watchdog = std::nullopt;  // longest time between two keep-alive messages
};

// `lookup` is getenv, or a function of a test; `self` is the id of this process. The error is a sentence for
// the operator: a variable is malformed.
using EnvironmentLookup = std::function<const char*(const char*)>;
Result<ServiceEnvironment, std::string> ReadServiceEnvironment(const EnvironmentLookup& lookup, pid_t self);

// Without a service manager every call does nothing. Thread-safe.
class ServiceManager {
 public:
  explicit ServiceManager(ServiceEnvironment environment) : environment_(std::move(environment)) {}

  // The sockets that the manager passed. A child process does not inherit them after this call.
  std::vector<int> TakeSockets() const;
  std::optional<Millis> watchdog() const { return environment_.watchdog; }

  // `status` is one text line for the operator.
  void Ready(std::string_view status) const;
  void Stopping(std::string_view status) const;
  // Sends the keep-alive message of systemd's watchdog.
  void KeepAlive() const;

 private:
  // Sends a message; waits at most this long for a manager that does not read its socket. A failure is only
  // logged: the manager then acts by its own time limits.
  void Send(std::string_view message, Seconds patience) const;

  const ServiceEnvironment environment_;
};

}  // namespace maejin::app
