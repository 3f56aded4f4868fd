// Clients that read slower than the server answers: the memory kept for them is bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <boost/asio/post.hpp>

#include "server/owed_budget.h"
#include "server/owed_bytes.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::maejin::testing::Post;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr std::size_t kMiB = 1 << 20;

// Whether the metrics show that a reader was dropped for this reason; waits for it.
bool Dropped(ToyServer& toy, const std::string& reason) {
  const auto line = "maejin_http_readers_dropped_total{reason=\"" + reason + "\"} 1\n";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (std::chrono::steady_clock::now() < end) {
    if (toy.metrics().Text().find(line) != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return false;
}

TEST(OwedBudgetTest, EachLimitRefusesWhatExceedsIt) {
  Metrics metrics;
  OwedBudget budget({10, 6, 4}, metrics);
  OwedCharge one(budget, 7);
  DropReason reason{};
  EXPECT_FALSE(one.Set(5, reason));
  EXPECT_EQ(reason, DropReason::kConnectionBudget);
  EXPECT_TRUE(one.Set(4, reason));
  OwedCharge two(budget, 7);
  EXPECT_FALSE(two.Set(3, reason));
  EXPECT_EQ(reason, DropReason::kAddressBudget);
  EXPECT_TRUE(two.Set(2, reason));
  OwedCharge exempt(budget, 0);
  EXPECT_TRUE(exempt.Set(4, reason));
  OwedCharge other(budget, 8);
  EXPECT_FALSE(other.Set(1, reason));
  EXPECT_EQ(reason, DropReason::kTotalBudget);
  EXPECT_EQ(budget.bytes(), 10U);
}

TEST(OwedBudgetTest, AChargeThatEndsIsGivenBack) {
  Metrics metrics;
  OwedBudget budget({10, 6, 4}, metrics);
  DropReason reason{};
  {
    OwedCharge one(budget, 7);
    EXPECT_TRUE(one.Set(4, reason));
    EXPECT_TRUE(one.Set(1, reason));
    OwedCharge two(budget, 7);
    EXPECT_TRUE(two.Set(4, reason));
    const OwedCharge moved(std::move(two));
    EXPECT_EQ(budget.bytes(), 5U);
  }
  EXPECT_EQ(budget.bytes(), 0U);
  OwedCharge again(budget, 7);
  EXPECT_TRUE(again.Set(4, reason));
}

TEST(SlowReadersTest, AResponseBeyondTheConnectionsBudgetDropsIt) {
  ServerOptions options;
  options.owed.per_connection = 64 * 1024;
  ToyServer toy(options);
  auto client = toy.Connect();
  for (int i = 0; i < 4; ++i) client.Send(Get("/large"));  // 4 MB each; the kernel takes only the first
  EXPECT_TRUE(Dropped(toy, "connection-budget"));
  EXPECT_THAT(toy.metrics().Text(), HasSubstr("maejin_http_owed_bytes 0\n"));
}

TEST(SlowReadersTest, AResponseBeyondTheTotalBudgetDropsItsReaderAndSharedTextsCountOnlyOnce) {
  ServerOptions options;
  options.owed.in_all = 64 * 1024;
  ToyServer toy(options);
  auto slow = toy.Connect();
  for (int i = 0; i < 4; ++i) slow.Send(Get("/large"));
  EXPECT_TRUE(Dropped(toy, "total-budget"));
  EXPECT_EQ(toy.Ask(Get("/shared")).body.size(), 4'000'000U) << "shared by all readers: no memory of its own";
}

TEST(SlowReadersTest, AReaderBelowTheMinimumRateIsDropped) {
  ServerOptions options;
  options.least_read_bytes_per_second = 100 * kMiB;
  options.read_window = milliseconds{300};
  ToyServer toy(options);
  auto client = toy.Connect();
  const int small = 4096;
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  client.Send(Get("/shared") + Get("/shared"));
  std::thread drips([&] {
    char bytes[4096];
    while (recv(client.fd(), bytes, sizeof bytes, 0) > 0) std::this_thread::sleep_for(milliseconds{10});
  });
  EXPECT_TRUE(Dropped(toy, "too-slow"));
  shutdown(client.fd(), SHUT_RDWR);
  drips.join();
}

TEST(SlowReadersTest, AReaderAboveTheMinimumRateGetsItsWholeResponse) {
  ServerOptions options;
  options.least_read_bytes_per_second = 64 * 1024;
  options.read_window = milliseconds{200};
  ToyServer toy(options);
  std::size_t read = 0;
  // On a busy machine a pause of this thread is a slow reader: then again.
  for (int attempt = 0; attempt < 10 && read <= 4'000'000U; ++attempt) {
    auto client = toy.Connect();
    client.Send(Get("/shared", "Connection: close\r\n"));
    read = 0;
    char bytes[65536];
    for (ssize_t got = 0; (got = recv(client.fd(), bytes, sizeof bytes, 0)) > 0;) {
      read += static_cast<std::size_t>(got);
      std::this_thread::sleep_for(milliseconds{10});
    }
  }
  EXPECT_GT(read, 4'000'000U);
}

TEST(SlowReadersTest, TheReaderOfAWithdrawnTextIsDropped) {
  ToyServer toy;
  auto client = toy.Connect();
  const int small = 4096;
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  client.Send(Get("/withdrawable"));
  ASSERT_TRUE(client.ReceiveUntil("\r\n\r\n"));
  toy.Withdraw();
  EXPECT_TRUE(Dropped(toy, "withdrawn"));
}

TEST(SlowReadersTest, AStreamWithAWithdrawnTextInItsBacklogIsDropped) {
  ToyServer toy;
  auto client = toy.Connect();
  const int small = 4096;
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  client.Send(Get("/stream?large=1"));
  ASSERT_TRUE(client.ReceiveUntil("welcome"));
  toy.Withdraw();
  EXPECT_TRUE(Dropped(toy, "withdrawn"));
}

TEST(SlowReadersTest, AStreamBeyondItsBacklogIsCountedAsDropped) {
  ServerOptions options;
  options.stream_backlog_limit = kMiB;
  ToyServer toy(options);
  auto client = toy.Connect();
  client.Send(Get("/stream"));
  ASSERT_TRUE(client.ReceiveUntil("welcome"));
  const auto frame = std::make_shared<const std::string>(kMiB, 'f');
  for (int i = 0; i < 16 && !toy.Streams()[0]->closed(); ++i) toy.Streams()[0]->Send(frame);
  EXPECT_TRUE(Dropped(toy, "stalled"));
}

TEST(OutOfMemoryTest, AFailedAllocationInAHandlerIs503AndTheConnectionGoesOn) {
  ToyServer toy;
  auto client = toy.Connect();
  for (const auto& request : {Get("/exhausts"), Get("/exhausts-inline"), Post("/exhausts-upload", "abc")}) {
    const auto response = client.Ask(request);
    ASSERT_TRUE(response) << request;
    EXPECT_EQ(response->status, 503) << request;
    EXPECT_THAT(response->body, HasSubstr("\"unavailable\""));
    EXPECT_FALSE(response->Header("Retry-After").empty());
  }
  EXPECT_EQ(client.Ask(Get("/hello"))->status, 200);
}

TEST(OutOfMemoryTest, AFailedAllocationOutsideAHandlerEndsTheConnectionAndNotTheServer) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send(Get("/hello") + Get("/exhausts-stream"));
  EXPECT_TRUE(Dropped(toy, "out-of-memory"));
  EXPECT_EQ(client.ReceiveAll(), "") << "nothing of the dropped answers goes out";
  EXPECT_EQ(toy.Ask(Get("/hello")).body, R"({"hello":"world"})") << "nor to the next connection";
}

TEST(OutOfMemoryTest, AFailedAllocationInATaskOfTheEventLoopLeavesTheServerRunning) {
  ToyServer toy;
  for (auto& executor : toy.server().executors()) {
    boost::asio::post(executor, [] { throw std::bad_alloc(); });
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(toy.Ask(Get("/hello")).status, 200);
}

}  // namespace
}  // namespace maejin::http
