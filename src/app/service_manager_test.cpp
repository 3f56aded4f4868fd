#include "app/service_manager.h"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace maejin::app {
namespace {

constexpr pid_t kSelf = 4242;

Result<ServiceEnvironment, std::string> Read(const std::map<std::string, std::string>& variables) {
  return ReadServiceEnvironment(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      kSelf);
}

TEST(ServiceManagerTest, EmptyEnvironmentHasNoManager) {
  const auto read = Read({});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sockets, 0);
  EXPECT_EQ(read->notify_address, "");
  EXPECT_FALSE(read->watchdog);
}

TEST(ServiceManagerTest, VariablesForThisProcessAreRead) {
  const auto read = Read({{"LISTEN_FDS", "2"},
                          {"LISTEN_PID", "4242"},
                          {"NOTIFY_SOCKET", "@manager"},
                          {"WATCHDOG_USEC", "30000000"},
                          {"WATCHDOG_PID", "4242"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sockets, 2);
  EXPECT_EQ(read->notify_address, "@manager");
  EXPECT_EQ(read->watchdog, Millis(30'000));
}

TEST(ServiceManagerTest, VariablesForAnotherProcessAreIgnored) {
  const auto read =
      Read({{"LISTEN_FDS", "2"}, {"LISTEN_PID", "1"}, {"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "1"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sockets, 0);
  EXPECT_FALSE(read->watchdog);
  EXPECT_EQ(Read({{"LISTEN_FDS", "2"}})->sockets, 0) << "LISTEN_PID is required";
}

TEST(ServiceManagerTest, MalformedVariablesAreRefused) {
  EXPECT_FALSE(Read({{"LISTEN_FDS", "two"}, {"LISTEN_PID", "4242"}}));
  EXPECT_FALSE(Read({{"LISTEN_FDS", "-1"}, {"LISTEN_PID", "4242"}}));
  EXPECT_FALSE(Read({{"NOTIFY_SOCKET", "relative/path"}}));
  EXPECT_FALSE(Read({{"NOTIFY_SOCKET", "/"}}));
  EXPECT_FALSE(Read({{"NOTIFY_SOCKET", "/" + std::string(200, 'x')}}));
  EXPECT_FALSE(Read({{"WATCHDOG_USEC", "soon"}}));
}

// A datagram socket that replaces systemd's.
class Manager {
 public:
  explicit Manager(const std::string& address) : descriptor_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    bound_.sun_family = AF_UNIX;
    std::memcpy(bound_.sun_path, address.data(), address.size());
    if (address.front() == '@') bound_.sun_path[0] = '\0';
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<const sockaddr*>(&bound_), size_), 0);
  }
  ~Manager() { close(descriptor_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  std::string Next() const {
    char text[512];
    const auto size = recv(descriptor_, text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

  // Sends messages until the queue takes no more: the kernel allows ten, or as many as an operator set.
  void FillQueue() const {
    bool taken = true;
    while (taken) {
      const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      taken = sendto(sender, "x", 1, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&bound_), size_) == 1;
      close(sender);
    }
  }

 private:
  const int descriptor_;
  sockaddr_un bound_{};
  socklen_t size_ = 0;
};

TEST(ServiceManagerTest, MessagesReachAPathAndAnAbstractAddress) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("maejin-notify-" + std::to_string(getpid()))).string();
  for (const auto& address : {path, "@maejin-notify-" + std::to_string(getpid())}) {
    const Manager manager(address);
    const ServiceManager service({.notify_address = address});
    service.Ready("listening");
    EXPECT_EQ(manager.Next(), "READY=1\nSTATUS=listening\nMAINPID=" + std::to_string(getpid()) + "\n");
    service.KeepAlive();
    EXPECT_EQ(manager.Next(), "WATCHDOG=1\n");
    service.Stopping("draining");
    EXPECT_EQ(manager.Next(), "STOPPING=1\nSTATUS=draining\n");
  }
  std::filesystem::remove(path);
}

TEST(ServiceManagerTest, AManagerThatDoesNotReadHoldsNothingUp) {
  const auto address = "@maejin-deaf-" + std::to_string(getpid());
  const Manager manager(address);
  manager.FillQueue();
  const ServiceManager service({.notify_address = address});
  service.KeepAlive();  // without a limit these calls would not return
  const auto before = std::chrono::steady_clock::now();
  service.Stopping("draining");
  EXPECT_GE(std::chrono::steady_clock::now() - before, Millis{900}) << "it waits for a busy manager";
  EXPECT_EQ(manager.Next(), "x");
  service.KeepAlive();
  auto last = manager.Next();
  while (last == "x") last = manager.Next();
  EXPECT_EQ(last, "WATCHDOG=1\n") << "sent when the queue had room again";
}

TEST(ServiceManagerTest, AMissingManagerIsNoError) {
  ServiceManager({}).Ready("listening");
  ServiceManager({.notify_address = "@maejin-no-such-manager"}).Ready("listening");
}

}  // namespace
}  // namespace maejin::app
