// Deadlines and limits: slow clients, silent clients, too many clients, too many requests.
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

// Even on a busy machine the client sends its first bytes within this time. A silent client would get no 408.
constexpr milliseconds kHeaderDeadline{3000};

TEST(LimitsTest, AHeadThatTakesTooLongIsAnswered408AndClosed) {
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

TEST(LimitsTest, TheDeadlineOfAHeadIsAbsoluteWhileBytesArrive) {
  ServerOptions options;
  options.header_deadline = kHeaderDeadline;
  ToyServer toy(options);
  auto client = toy.Connect(20);
  client.Send("GET /hello HTTP/1.1\r\nHost: a\r\n");
  std::optional<::maejin::testing::RawResponse> response;
  // A header line every 20 ms stays below all other limits: only an absolute deadline ends the request.
  for (int i = 0; i < 4000 && !response; ++i) {
    client.Send("A: b\r\n");
    response = client.Receive();
  }
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 408);
}

TEST(LimitsTest, ASilentConnectionIsClosed) {
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

TEST(LimitsTest, ASlowBodyIsAnswered408) {
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

TEST(LimitsTest, ASlowUploadIsRefused) {
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
  // Watch the metrics, not the socket: the client must not read.
  const auto tells = [&](const char* line) { return toy.metrics().Text().find(line) != std::string::npos; };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto dropped = [&] {
    return tells("maejin_http_connections_accepted_total 1\n") && tells("maejin_http_connections 0\n");
  };
  while (!dropped() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(dropped());
}

TEST(LimitsTest, AConnectionBeyondTheLimitIsAnswered503AndClosed) {
  ServerOptions options;
  options.connection_limit = 2;
  ToyServer toy(options);
  auto one = toy.Connect();
  auto two = toy.Connect();
  EXPECT_EQ(one.Ask(Get("/hello"))->status, 200);
  EXPECT_EQ(two.Ask(Get("/hello"))->status, 200);
  auto three = toy.Connect();
  const auto refused = three.Receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_FALSE(refused->Header("Retry-After").empty());
  EXPECT_TRUE(three.IsClosed());
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_http_connections_refused_total 1\n"));
}

TEST(LimitsTest, ReservedConnectionsServeHealthChecksOperatorsAndPayersOnly) {
  ServerOptions options;
  // More reserved connections than needed: the server may not have seen yet that earlier connections ended.
  options.connection_limit = 64;
  options.reserved_connections = 16;
  options.idle_deadline = std::chrono::minutes{10};
  ToyServer toy(options);
  std::vector<::maejin::testing::RawClient> crowd;
  for (int i = 0; i < 48; ++i) {
    crowd.push_back(toy.Connect());
    ASSERT_EQ(crowd.back().Ask(Get("/hello"))->status, 200);
  }
  EXPECT_EQ(toy.Ask(Get("/hello")).status, 503) << "a poll does not get a reserved connection";
  EXPECT_EQ(toy.Ask(Get("/healthz")).status, 200);
  EXPECT_EQ(toy.Ask(Get("/admin", "Authorization: Bearer secret\r\n")).status, 200);
  EXPECT_EQ(toy.Ask(Get("/admin", "Authorization: Bearer wrong\r\n")).status, 401);
  EXPECT_EQ(toy.Ask(Get("/pay")).status, 200);
  EXPECT_EQ(toy.Ask(Get("/stream")).status, 503);
  EXPECT_EQ(toy.Ask(Post("/upload/x", "abc")).status, 503);
  auto payer = toy.Connect();
  EXPECT_EQ(payer.Ask(Get("/pay"))->status, 200);
  EXPECT_EQ(payer.Ask(Get("/pay"))->status, 200) << "kept for the next payment";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto shows = [&](const char* line) { return toy.metrics().Text().find(line) != std::string::npos; };
  while (!shows("maejin_http_connections_reserved 1\n")) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    ASSERT_EQ(payer.Ask(Get("/pay"))->status, 200) << "a silent reserved connection would be closed";
  }
  EXPECT_EQ(payer.Ask(Get("/hello"))->status, 503);
  EXPECT_TRUE(payer.IsClosed()) << "a refused client does not keep a reserved connection";
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_http_reserve_refused_total 4\n"));
  crowd.pop_back();
  while (toy.Ask(Get("/hello")).status != 200) ASSERT_LT(std::chrono::steady_clock::now(), end);
}

TEST(LimitsTest, ASilentReservedConnectionIsClosedSoon) {
  ServerOptions options;
  options.connection_limit = 4;
  options.reserved_connections = 1;
  options.header_deadline = std::chrono::minutes{10};
  options.idle_deadline = std::chrono::minutes{10};
  ToyServer toy(options);
  std::vector<::maejin::testing::RawClient> crowd;
  for (int i = 0; i < 3; ++i) {
    crowd.push_back(toy.Connect());
    ASSERT_EQ(crowd.back().Ask(Get("/hello"))->status, 200);
  }
  auto silent = toy.Connect();
  EXPECT_TRUE(silent.IsClosed());
}

TEST(LimitsTest, OneAddressCannotTakeTheWholeReserve) {
  ConnectionLimits limits(64, 64, 16);
  const auto address = [](int last) {
    return boost::asio::ip::make_address_v4(0xc6336400U + unsigned(last));
  };
  std::vector<ConnectionSlot> crowd;
  for (int i = 0; i < 48; ++i) crowd.push_back(limits.Take(address(i), false));
  auto one = limits.Take(address(200), false);
  auto two = limits.Take(address(200), false);
  EXPECT_TRUE(one.restricted() && two.restricted());
  EXPECT_FALSE(limits.Take(address(200), false)) << "an eighth of the reserve is enough for one address";
  EXPECT_TRUE(limits.Take(address(201), false));
  crowd.resize(40);
  EXPECT_FALSE(one.restricted()) << "an ordinary connection again, once the crowd has gone";
}

TEST(LimitsTest, RequestsAndStreamsBehindAProxyCountForTheForwardedAddress) {
  ServerOptions options;
  options.trusted_proxies = {"127.0.0.1"};
  options.connections_per_address = 2;
  ToyServer toy(options);
  const auto of = [](const char* path, const char* client) {
    return Get(path, "X-Forwarded-For: " + std::string(client) + "\r\n");
  };
  std::vector<::maejin::testing::RawClient> clients;
  clients.push_back(toy.Connect());
  clients.back().Send(of("/wait", "203.0.113.7"));
  clients.push_back(toy.Connect());
  clients.back().Send(of("/stream", "203.0.113.7"));
  ASSERT_TRUE(clients.back().ReceiveUntil("welcome"));
  while (toy.waiting() < 1) std::this_thread::yield();
  EXPECT_EQ(toy.Ask(of("/wait", "203.0.113.7")).status, 429);
  EXPECT_EQ(toy.Ask(of("/stream", "203.0.113.7")).status, 429);
  EXPECT_EQ(toy.Ask(of("/hello", "203.0.113.7")).status, 200) << "an answer at once occupies nothing";
  EXPECT_EQ(toy.Ask(of("/refuses", "203.0.113.8")).status, 409) << "another address";
  toy.Release();
  EXPECT_EQ(clients[0].Receive()->status, 200);
  EXPECT_EQ(toy.Ask(of("/refuses", "203.0.113.7")).status, 409) << "an answered request counts no more";
}

TEST(LimitsTest, StreamsOfOneTokenAndOfOneUserAreLimited) {
  ServerOptions options;
  options.streams_per_client = 2;
  ToyServer toy(options);
  const auto listen = [&](const std::string& path, const std::string& headers) {
    auto client = toy.Connect();
    client.Send(Get(path, headers));
    return client;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (const auto& [path, headers] :
       {std::pair<std::string, std::string>{"/stream", "X-Queue-Token: abc\r\n"},
        {"/stream?token=def", ""},
        {"/stream", "X-User-Id: abc\r\n"},
        {"/stream", "Authorization: Bearer abc\r\n"}}) {
    std::vector<::maejin::testing::RawClient> listeners;
    for (int i = 0; i < 2; ++i) {
      listeners.push_back(listen(path, headers));
      ASSERT_TRUE(listeners.back().ReceiveUntil("welcome")) << path << headers;
    }
    EXPECT_EQ(toy.Ask(Get(path, headers)).status, 429) << path << headers;
    if (headers.starts_with("Authorization")) {
      EXPECT_EQ(toy.Ask(Get(path, "Authorization: Bearer   abc\r\n")).status, 429) << "more spaces";
    }
    listeners.pop_back();
    // The server notices the closed stream a moment later. A refusal closes the connection and ends the read.
    while (!listen(path, headers + "Connection: close\r\n").ReceiveUntil("welcome")) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
  }
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(listen("/stream", "").ReceiveUntil("welcome")) << "without a name";
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

TEST(LimitsTest, ARequestBeyondTheInFlightLimitIs503WithRetryAfter) {
  ServerOptions options;
  options.in_flight_limit = 10;  // the limit of joins is then 6
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

TEST(LimitsTest, AnUploadBeyondTheInFlightLimitIs503CountedAndClosed) {
  ServerOptions options;
  options.in_flight_limit = 1;  // the limit of polls, and of this upload, is then 0
  ToyServer toy(options);
  auto client = toy.Connect();
  const auto shed = client.Ask(Post("/upload/x", "abc"));
  ASSERT_TRUE(shed);
  EXPECT_EQ(shed->status, 503);
  client.FinishSending();
  EXPECT_TRUE(client.IsClosed()) << "the body was not read";
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_http_shed_total 1\n"));
}

TEST(LimitsTest, ExpectContinueIsAnsweredBeforeTheBody) {
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
