// The pool against servers that break HTTP's rules.
#include "adapters/payment/http_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/run_task.h"
#include "tests/support/scripted_server.h"

namespace maejin::payment {
namespace {

using Delivery = HttpReply::Delivery;
using testing::Answer;
using testing::ScriptedServer;

HttpPoolOptions To(const ScriptedServer& server, Millis deadline = Millis{60'000}) {
  HttpPoolOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.deadline = deadline;
  return options;
}

HttpReply Get(HttpPool& pool, const std::string& target = "/") {
  PoolRequest call{"GET", target};
  call.expected = target == "/" ? "" : target;
  return RunTask(pool.Call(std::move(call)));
}

// Delays the response until End().
class DelayedResponse {
 public:
  ~DelayedResponse() { End(); }
  std::string React() {
    received_ = true;
    received_.notify_all();
    ended_.wait(false);
    return Answer("late");
  }
  void AwaitRequest() const { received_.wait(false); }
  void End() {
    ended_ = true;
    ended_.notify_all();
  }

 private:
  std::atomic<bool> received_{false};
  std::atomic<bool> ended_{false};
};

TEST(HttpPool, KeepsItsConnection) {
  ScriptedServer server([](const std::string&) { return Answer("yes"); });
  HttpPool pool(To(server));
  for (int i = 0; i < 5; ++i) {
    const auto reply = Get(pool);
    EXPECT_EQ(reply.delivery, Delivery::kAnswered);
    EXPECT_EQ(reply.body, "yes");
  }
  EXPECT_EQ(server.accepted(), 1);
}

TEST(HttpPool, DuplicateAnswerIsNotTakenForTheNextCall) {
  ScriptedServer server([](const std::string& request) {
    const auto target = request.substr(4, request.find(' ', 4) - 4);
    return Answer(target) + Answer(target);
  });
  HttpPool pool(To(server));
  int answered = 0;
  for (int i = 0; i < 50; ++i) {
    const auto target = "/" + std::to_string(1000 + i);
    const auto reply = Get(pool, target);
    // If both copies arrive together, the pool closes the connection. If the second arrives later, the next
    // call is unknown.
    if (reply.delivery == Delivery::kAnswered) {
      EXPECT_EQ(reply.body, target);
    }
    answered += reply.delivery == Delivery::kAnswered;
  }
  EXPECT_GT(answered, 0);
}

TEST(HttpPool, ALostAnswerIsUnknown) {
  ScriptedServer server([](const std::string&) { return std::string(); });
  HttpPool pool(To(server));
  EXPECT_EQ(Get(pool).delivery, Delivery::kUnknown);
}

TEST(HttpPool, RetriesACallLostOnAStaleConnection) {
  std::atomic<int> count = 0;
  ScriptedServer server([&](const std::string&) { return ++count == 2 ? std::string() : Answer("yes"); });
  HttpPool pool(To(server));
  EXPECT_EQ(Get(pool).delivery, Delivery::kAnswered);
  EXPECT_EQ(Get(pool).delivery, Delivery::kAnswered);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(server.accepted(), 2);
}

TEST(HttpPool, ConnectionRefusedIsNotReached) {
  HttpPoolOptions options;
  {
    ScriptedServer closed([](const std::string&) { return std::string(); });
    options = To(closed);
  }
  HttpPool pool(options);
  EXPECT_EQ(Get(pool).delivery, Delivery::kNotReached);
}

TEST(HttpPool, WaitsNoLongerThanTheDeadline) {
  DelayedResponse response;
  ScriptedServer server([&](const std::string&) { return response.React(); });
  // On a busy machine the request may not be sent in time: the test then retries with a longer deadline.
  auto delivery = Delivery::kNotReached;
  for (auto deadline = Millis{50}; delivery == Delivery::kNotReached && deadline < Millis{60'000};
       deadline *= 2) {
    HttpPool pool(To(server, deadline));
    delivery = Get(pool).delivery;
  }
  EXPECT_EQ(delivery, Delivery::kUnknown);
  response.End();
}

TEST(HttpPool, ConnectionsStayWithinTheLimit) {
  ScriptedServer server([](const std::string&) { return Answer("yes"); });
  auto options = To(server);
  options.connections = 2;
  HttpPool pool(options);
  std::vector<std::thread> callers;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 20; ++call) answered += Get(pool).delivery == Delivery::kAnswered;
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(answered, 160);
  EXPECT_LE(server.accepted(), 2);
}

TEST(HttpPool, FullWaitQueueRefusesACall) {
  DelayedResponse response;
  ScriptedServer server([&](const std::string&) { return response.React(); });
  auto options = To(server);
  options.connections = 1;
  options.waiting = 0;
  HttpPool pool(options);
  std::thread first([&] { EXPECT_EQ(Get(pool).delivery, Delivery::kAnswered); });
  response.AwaitRequest();
  EXPECT_EQ(Get(pool).delivery, Delivery::kNotReached);
  response.End();
  first.join();
}

TEST(HttpPool, DestructionEndsCallsInFlight) {
  DelayedResponse response;
  ScriptedServer server([&](const std::string&) { return response.React(); });
  auto pool = std::make_unique<HttpPool>(To(server));
  std::thread caller([&, &called = *pool] { EXPECT_EQ(Get(called).delivery, Delivery::kUnknown); });
  response.AwaitRequest();
  pool.reset();
  caller.join();
  response.End();
}

}  // namespace
}  // namespace maejin::payment
