// Patience and its end: slow clients, silent clients, too many clients, too much work.
#include <gtest/gtest.h>

#include <thread>

#include "server/connection_limits.h"
#include "server/shedding.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::maejin::testing::Post;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Long enough that also on a busy machine a client has said something by then: who says nothing is told nothing.
constexpr milliseconds kHeaderDeadline{1000};

TEST(LimitsTest, AHeadThatTakesTooLongIsToldAndCutOff) {
  ServerOptions options;
  options.header_deadline = kHeaderDeadline;
  ToyServer toy(options);
  auto client = toy.Connect();
  client.Send("GET /hello HTTP/1.1\r\nHost: a\r\n");
  const auto response = client.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 408);
  EXPECT_THAT(response->body, HasSubstr("request-timeout"));
  client.FinishSending();
  EXPECT_TRUE(client.IsClosed());
}

TEST(LimitsTest, TheDeadlineOfAHeadIsAbsoluteHoweverBusyTheClientSeems) {
  ServerOptions options;
  options.header_deadline = kHeaderDeadline;
  ToyServer toy(options);
  auto client = toy.Connect(20);
  client.Send("GET /hello HTTP/1.1\r\nHost: a\r\n");
  std::optional<::maejin::testing::RawResponse> response;
  // A header line every 20 ms, fewer than may be: nothing but an absolute deadline ends this.
  for (int i = 0; i < 4000 && !response; ++i) {
    client.Send("A: b\r\n");
    response = client.Receive();
  }
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 408);
}

TEST(LimitsTest, AConnectionThatSaysNothingIsClosed) {
  ServerOptions options;
  options.header_deadline = milliseconds{60};
  ToyServer toy(options);
  auto client = toy.Connect();
  EXPECT_TRUE(client.IsClosed());
}

TEST(LimitsTest, AnIdleConnectionIsClosedAfterItsAnswers) {
  ServerOptions options;
  options.idle_deadline = milliseconds{60};
  ToyServer toy(options);
  auto client = toy.Connect();
  EXPECT_EQ(client.Ask(Get("/hello"))->status, 200);
  EXPECT_TRUE(client.IsClosed());
}

TEST(LimitsTest, ABodyThatDripsIsCutOff) {
  ServerOptions options;
  options.body_grace = milliseconds{80};
  ToyServer toy(options);
  for (const auto* head :
       {"POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
        "POST /echo/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"}) {
    auto client = toy.Connect();
    const auto response = client.Ask(head);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 408);
  }
}

TEST(LimitsTest, AnUploadThatDripsIsCutOff) {
  ServerOptions options;
  options.body_grace = milliseconds{80};
  ToyServer toy(options);
  auto client = toy.Connect();
  const auto response = client.Ask("POST /upload/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
}

TEST(LimitsTest, AReaderThatTakesNothingIsDropped) {
  ServerOptions options;
  options.write_deadline = milliseconds{100};
  ToyServer toy(options);
  auto client = toy.Connect();
  for (int i = 0; i < 16; ++i) client.Send(Get("/large"));
  // The metrics, not the socket, tell: reading would be what the test must not do.
  const auto tells = [&](const char* line) { return toy.metrics().Text().find(line) != std::string::npos; };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto dropped = [&] {
    return tells("maejin_http_connections_accepted_total 1\n") && tells("maejin_http_connections 0\n");
  };
  while (!dropped() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(dropped());
}

TEST(LimitsTest, MoreConnectionsThanAllowedAreClosedAtOnce) {
  ServerOptions options;
  options.connection_limit = 2;
  ToyServer toy(options);
  auto one = toy.Connect();
  auto two = toy.Connect();
  EXPECT_EQ(one.Ask(Get("/hello"))->status, 200);
  EXPECT_EQ(two.Ask(Get("/hello"))->status, 200);
  auto three = toy.Connect();
  EXPECT_TRUE(three.IsClosed());
}

TEST(LimitsTest, OneAddressCannotTakeAllConnections) {
  ConnectionLimits limits(100, 2);
  const auto address = [](const char* text) { return boost::asio::ip::make_address(text); };
  auto one = limits.Take(address("198.51.100.1"), false);
  {
    const auto two = limits.Take(address("198.51.100.1"), false);
    EXPECT_TRUE(two);
    EXPECT_FALSE(limits.Take(address("198.51.100.1"), false));
    EXPECT_TRUE(limits.Take(address("198.51.100.2"), false));
    EXPECT_TRUE(limits.Take(address("198.51.100.1"), true)) << "a trusted proxy speaks for many";
  }
  EXPECT_TRUE(limits.Take(address("198.51.100.1"), false)) << "a closed connection gives its place back";
  auto six = limits.Take(address("2001:db8::1"), false);
  auto seven = limits.Take(address("2001:db8::2"), false);
  EXPECT_FALSE(limits.Take(address("2001:db8::3"), false)) << "one network of 64 bits is one customer";
  std::vector<ConnectionSlot> local;
  for (int i = 0; i < 10; ++i) local.push_back(limits.Take(address("127.0.0.1"), false));
  for (const auto& slot : local) EXPECT_TRUE(slot);
}

TEST(LimitsTest, JoinsAreShedBeforePollsAndRefundsLast) {
  Shedding shedding(10);
  for (int i = 0; i < 6; ++i) shedding.Begin();
  EXPECT_FALSE(shedding.Admits(Priority::kJoin));
  EXPECT_TRUE(shedding.Admits(Priority::kPoll));
  shedding.Begin();
  EXPECT_FALSE(shedding.Admits(Priority::kPoll));
  EXPECT_TRUE(shedding.Admits(Priority::kHold));
  shedding.Begin();
  EXPECT_FALSE(shedding.Admits(Priority::kHold));
  EXPECT_TRUE(shedding.Admits(Priority::kPay));
  shedding.Begin();
  EXPECT_FALSE(shedding.Admits(Priority::kPay));
  EXPECT_TRUE(shedding.Admits(Priority::kRefund));
  shedding.Begin();
  EXPECT_FALSE(shedding.Admits(Priority::kRefund));
  EXPECT_TRUE(shedding.Admits(Priority::kAlways));
  shedding.End();
  EXPECT_TRUE(shedding.Admits(Priority::kRefund));
}

TEST(LimitsTest, WorkBeyondTheLimitIsToldWhenToComeBack) {
  ServerOptions options;
  options.in_flight_limit = 10;  // joins: 6
  ToyServer toy(options);
  std::vector<::maejin::testing::RawClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(toy.Connect());
    clients.back().Send(Get("/wait"));
  }
  while (toy.waiting() < 6) std::this_thread::yield();
  const auto shed = toy.Ask(Get("/wait"));
  EXPECT_EQ(shed.status, 503);
  const auto seconds = std::stoi(shed.Header("Retry-After"));
  EXPECT_GE(seconds, 1);
  EXPECT_LE(seconds, 2);
  EXPECT_EQ(toy.Ask(Get("/hello")).status, 200) << "polls go on";
  toy.Release();
  for (auto& client : clients) EXPECT_EQ(client.Receive()->status, 200);
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_http_shed_total 1"));
}

TEST(LimitsTest, AClientMayAskWhetherItsBodyIsWelcome) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send("POST /echo/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 100);
  client.Send("hello");
  EXPECT_EQ(client.Receive()->body, "x|hello|127.0.0.1");
  client.Send("POST /echo/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 70000\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 413);
  auto together = toy.Connect();
  together.Send("POST /echo/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(together.Receive()->body, "x|hello|127.0.0.1");
}

TEST(LimitsTest, ABodyOfExactlyTheLimitIsHeld) {
  ToyServer toy;
  auto client = toy.Connect();
  const std::string body(64 * 1024, 'b');
  EXPECT_EQ(client.Ask(Post("/echo/x", body))->body, "x|" + body + "|127.0.0.1");
  EXPECT_EQ(client.Ask(Post("/echo/x", body + "b"))->status, 413);
}

TEST(LimitsTest, TheAnswerTo413IsNotLostToAReset) {
  ServerOptions options;
  options.linger = std::chrono::minutes{1};
  ToyServer toy(options);
  for (int i = 0; i < 20; ++i) {
    auto client = toy.Connect();
    client.Send(Post("/echo/x", std::string(1'000'000, 'b')));
    const auto response = client.Receive();
    ASSERT_TRUE(response) << i;
    EXPECT_EQ(response->status, 413);
  }
}

}  // namespace
}  // namespace maejin::http
