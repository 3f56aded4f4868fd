#include "app/service_manager.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"

namespace maejin::app {
namespace {

constexpr int kFirstPassed = 3;
constexpr int kMostSockets = 64;
// How long a message waits while the manager's queue is full. A manager that misses READY stops the server;
// the next sign of life replaces a lost one.
constexpr Seconds kReadyPatience{10}, kStoppingPatience{1}, kKeepAlivePatience{0};

std::string_view Variable(const EnvironmentLookup& lookup, const char* name) {
  const char* value = lookup(name);
  return value ? std::string_view(value) : std::string_view();
}

// A parent process may have left its own variables: a process id in `name` must be this process's.
bool IsForSelf(const EnvironmentLookup& lookup, const char* name, pid_t self) {
  const auto text = Variable(lookup, name);
  return text.empty() || ParseInt<std::int64_t>(text) == std::int64_t{self};
}

}  // namespace

Result<ServiceEnvironment, std::string> ReadServiceEnvironment(const EnvironmentLookup& lookup, pid_t self) {
  ServiceEnvironment environment;
  const auto sockets = Variable(lookup, "LISTEN_FDS");
  // LISTEN_PID is required: descriptors of another process are not ours to use.
  if (!sockets.empty() && !Variable(lookup, "LISTEN_PID").empty() && IsForSelf(lookup, "LISTEN_PID", self)) {
    const auto count = ParseInt<int>(sockets, 0, kMostSockets);
    if (!count) return fmt::format("LISTEN_FDS must be a number from 0 to {}", kMostSockets);
    environment.sockets = *count;
  }
  const auto address = Variable(lookup, "NOTIFY_SOCKET");
  if (!address.empty()) {
    const bool valid = (address.front() == '/' || address.front() == '@') && address.size() > 1 &&
                       address.size() < sizeof(sockaddr_un::sun_path);
    if (!valid) return std::string("NOTIFY_SOCKET must be a path or an abstract address");
    environment.notify_address = address;
  }
  const auto watchdog = Variable(lookup, "WATCHDOG_USEC");
  if (!watchdog.empty() && IsForSelf(lookup, "WATCHDOG_PID", self)) {
    constexpr std::int64_t kLongest = 1'000'000LL * 86'400 * 365;
    const auto micros = ParseInt<std::int64_t>(watchdog, 1000, kLongest);
    if (!micros) return std::string("WATCHDOG_USEC must be a number of microseconds");
    environment.watchdog = Millis(*micros / 1000);
  }
  return environment;
}

std::vector<int> ServiceManager::TakeSockets() const {
  std::vector<int> sockets;
  for (int i = 0; i < environment_.sockets; ++i) {
    fcntl(kFirstPassed + i, F_SETFD, FD_CLOEXEC);
    sockets.push_back(kFirstPassed + i);
  }
  return sockets;
}

void ServiceManager::Ready(std::string_view status) const {
  Send(fmt::format("READY=1\nSTATUS={}\nMAINPID={}\n", status, getpid()), kReadyPatience);
}

void ServiceManager::Stopping(std::string_view status) const {
  Send(fmt::format("STOPPING=1\nSTATUS={}\n", status), kStoppingPatience);
}

void ServiceManager::KeepAlive() const { Send("WATCHDOG=1\n", kKeepAlivePatience); }

void ServiceManager::Send(std::string_view message, Seconds patience) const {
  const auto& address = environment_.notify_address;
  if (address.empty()) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address.data(), address.size());
  if (address.front() == '@') to.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const timeval limit{.tv_sec = patience.count(), .tv_usec = 0};
  const int flags = MSG_NOSIGNAL | (patience.count() == 0 ? MSG_DONTWAIT : 0);
  const bool sent = descriptor >= 0 &&
                    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
                    sendto(descriptor, message.data(), message.size(), flags,
                           reinterpret_cast<const sockaddr*>(&to), size) >= 0;
  if (!sent) LogWarning("cannot notify the service manager at {}: {}", address, std::strerror(errno));
  if (descriptor >= 0) close(descriptor);
}

}  // namespace maejin::app
