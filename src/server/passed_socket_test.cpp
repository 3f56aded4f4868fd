// A listening socket that a service manager passed, and a shutdown that loses no request.
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/problem.h"
#include "server/server.h"
#include "tests/support/raw_client.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::maejin::testing::RawClient;

// The service manager's socket, which stays open while one server ends and the next starts.
class PassedSocket {
 public:
  PassedSocket() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
    EXPECT_EQ(listen(descriptor_, 128), 0);
    socklen_t size = sizeof any;
    EXPECT_EQ(getsockname(descriptor_, reinterpret_cast<sockaddr*>(&any), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(any.sin_port));
  }
  ~PassedSocket() { close(descriptor_); }
  PassedSocket(const PassedSocket&) = delete;
  PassedSocket& operator=(const PassedSocket&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& address() const { return address_; }

 private:
  const int descriptor_;
  std::string address_;
};

class PassedSocketTest : public ::testing::Test {
 protected:
  PassedSocketTest() {
    Route hello;
    hello.pattern = "/hello";
    hello.inline_handler = [](const Request&, Response& response) {
      response.body = "{}";
      return true;
    };
    router_.Add(hello);
  }
  std::unique_ptr<Server> MakeServer() {
    ServerOptions options;
    options.threads = 2;
    options.first_request_wait = std::chrono::seconds(60);
    options.drain_deadline = std::chrono::seconds(60);
    return std::make_unique<Server>(
        router_, options, ServerDependencies{.admin_key = AdminKey("secret"), .problems = Problems()});
  }

  PassedSocket socket_;
  Router router_;
};

TEST_F(PassedSocketTest, ServerAcceptsFromIt) {
  const auto server = MakeServer();
  const auto bound = server->ListenOn(socket_.descriptor(), socket_.address());
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->text, socket_.address());
  server->Start();
  EXPECT_EQ(RawClient(socket_.address()).Ask(Get("/hello"))->status, 200);
}

TEST_F(PassedSocketTest, AnotherAddressThanListenIsRefused) {
  const auto bound = MakeServer()->ListenOn(socket_.descriptor(), "127.0.0.1:1");
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().find("make them equal"), std::string::npos) << bound.error();
}

TEST_F(PassedSocketTest, DescriptorThatDoesNotListenIsRefused) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  EXPECT_FALSE(MakeServer()->ListenOn(pair[0], socket_.address()));
  EXPECT_FALSE(MakeServer()->ListenOn(-1, socket_.address()));
  close(pair[0]);
  close(pair[1]);
}

TEST_F(PassedSocketTest, ConnectionsBetweenTwoServersWaitForTheSecond) {
  {
    const auto first = MakeServer();
    ASSERT_TRUE(first->ListenOn(socket_.descriptor(), socket_.address()));
    first->Start();
    EXPECT_EQ(RawClient(socket_.address()).Ask(Get("/hello"))->status, 200);
    first->Drain();
    first->Wait();
  }
  RawClient early(socket_.address());
  early.Send(Get("/hello"));
  const auto second = MakeServer();
  ASSERT_TRUE(second->ListenOn(socket_.descriptor(), socket_.address()));
  second->Start();
  const auto response = early.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
}

TEST_F(PassedSocketTest, NewConnectionMaySendItsFirstRequestDuringADrain) {
  const auto server = MakeServer();
  ASSERT_TRUE(server->ListenOn(socket_.descriptor(), socket_.address()));
  server->Start();
  RawClient other(socket_.address());
  ASSERT_EQ(other.Ask(Get("/hello"))->status, 200);  // the workers run
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<RawClient>(socket_.address()));
  RawClient last(socket_.address());
  ASSERT_EQ(last.Ask(Get("/hello"))->status, 200);
  server->Drain();
  EXPECT_TRUE(other.IsClosed()) << "an idle connection that was used is closed";
  for (const auto& client : clients) client->Send(Get("/hello"));
  // A connection that no worker had accepted stays in the socket's queue.
  const auto next = MakeServer();
  ASSERT_TRUE(next->ListenOn(socket_.descriptor(), socket_.address()));
  next->Start();
  for (const auto& client : clients) {
    const auto response = client->Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200);
  }
  server->Wait();
}

}  // namespace
}  // namespace maejin::http
