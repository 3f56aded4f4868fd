#include "usecase/deliver_webhooks.h"
#include "base/timer.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"

namespace maejin {
namespace {

constexpr Millis kBriefly{1};
constexpr Time kStart = TimeFromMillis(1'800'000'000'000);

Task<void> Pause(Millis time) {
  SteadyTimer timer(co_await boost::asio::this_coro::executor);
  timer.expires_after(time);
  co_await timer.async_wait(kAwait);
}

// A feed of `newest` events.
class LongFeed final : public EventFeed {
 public:
  Task<Outcome<EventPage>> Read(EventQuery query) override {
    EventPage page{{}, query.after};
    while (page.events.size() < query.limit && page.next < newest) {
      Event event;
      event.id = ++page.next;
      event.type = "room.opened";
      AppendEventId(event.json, event.id);
      AppendEventTail(event.json, {event.type, kStart, "room 1", "{}"});
      page.events.push_back(std::move(event));
    }
    read += page.events.size();
    co_return page;
  }
  std::int64_t NewestAtOnce() const override { return newest; }
  void Prune(Time) override {}

  std::int64_t newest = 0;
  std::size_t read = 0;
};

// One endpoint, which is leased while `leased`.
class OneWebhook final : public WebhookStore {
 public:
  Task<Outcome<LeasedWebhooks>> Lease(std::string, Millis) override {
    LeasedWebhooks all;
    if (leased && webhook.active()) all.webhooks.push_back(webhook);
    all.resends = resends;
    co_return all;
  }
  Task<Outcome<Done>> Release(std::string) override {
    released = true;
    co_return Done{};
  }
  Task<Outcome<bool>> Save(WebhookId, std::int64_t lease, WebhookProgress progress, Time) override {
    if (lease != webhook.lease) co_return false;
    webhook.progress = std::move(progress);
    co_return true;
  }
  Task<Outcome<Done>> FinishResend(std::int64_t resend) override {
    std::erase_if(resends, [resend](const WebhookResend& each) { return each.id == resend; });
    co_return Done{};
  }
  Task<Outcome<Webhook>> Create(Webhook, Operator) override { co_return Refusal::kUnavailable; }
  Task<Outcome<std::vector<Webhook>>> List() override { co_return Refusal::kUnavailable; }
  Task<Outcome<Webhook>> Find(WebhookId) override { co_return Refusal::kUnavailable; }
  Task<Outcome<Webhook>> Change(WebhookId, WebhookPatch, Operator) override {
    co_return Refusal::kUnavailable;
  }
  Task<Outcome<Done>> Remove(WebhookId, Operator) override { co_return Refusal::kUnavailable; }
  Task<Outcome<Webhook>> Rotate(WebhookId, WebhookRotation, Operator) override {
    co_return Refusal::kUnavailable;
  }
  Task<Outcome<Done>> Test(WebhookId, std::string, Operator) override { co_return Refusal::kUnavailable; }
  Task<Outcome<Done>> Resend(WebhookId, std::int64_t, Operator) override { co_return Refusal::kUnavailable; }

  Webhook webhook;
  std::vector<WebhookResend> resends;
  bool leased = true;
  bool released = false;
};

class ScriptedClient final : public WebhookClient {
 public:
  Task<WebhookAnswer> Post(std::string, SignedWebhook sent) override {
    ids.push_back(sent.id);
    WebhookAnswer answer;
    answer.status_code = 204;
    while (silent && !stopped) co_await Pause(kBriefly);
    if (stopped) answer.status_code = 0;
    if (status) answer.status_code = status(ids.size());
    co_return answer;
  }
  Task<Outcome<Done>> CheckTarget(std::string) override { co_return Done{}; }

  std::vector<std::string> ids;
  std::function<int(std::size_t)> status;
  bool silent = false;
  bool stopped = false;
};

class DeliverWebhooksTest : public testing::Test {
 protected:
  DeliverWebhooksTest() {
    store_.webhook.id = 1;
    store_.webhook.lease = 1;
    store_.webhook.rate_per_second = kMaxWebhookRate;
    store_.webhook.types = {"*"};
    store_.webhook.secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  }
  // Delivers until `done` returns true; it is called every millisecond.
  void RunUntil(std::function<bool()> done) {
    boost::asio::io_context context{1};
    boost::asio::co_spawn(context.get_executor(), deliver_.Run(), boost::asio::detached);
    const auto watch = [&]() -> Task<void> {
      const auto deadline = std::chrono::steady_clock::now() + Seconds{60};
      while (!done() && std::chrono::steady_clock::now() < deadline) co_await Pause(kBriefly);
      EXPECT_TRUE(done());
      deliver_.Stop();
      client_.stopped = true;
    };
    boost::asio::co_spawn(context.get_executor(), watch(), boost::asio::detached);
    context.run();
  }

  OneWebhook store_;
  LongFeed feed_;
  ScriptedClient client_;
  VirtualClock clock_{kStart};
  SeededRandom random_{1};
  Metrics metrics_;
  std::vector<RoomStats> rooms_;
  RoomProgress progress_{[this] { return rooms_; }, clock_};
  DeliverWebhooks deliver_{{store_, feed_, client_, clock_, random_, metrics_, &progress_}};
};

RoomStats RoomWith(const RoomId& room, std::uint32_t waiting) {
  RoomStats stats;
  stats.room = room;
  stats.serving.waiting = waiting;
  return stats;
}

TEST_F(DeliverWebhooksTest, EventsFollowEachOtherAndTheCursorIsStored) {
  feed_.newest = 250;
  RunUntil([&] { return client_.ids.size() == 250; });
  for (std::size_t i = 0; i < 250; ++i) ASSERT_EQ(client_.ids[i], "evt_" + std::to_string(i + 1));
  EXPECT_GE(store_.webhook.progress.cursor, 249);
  EXPECT_TRUE(store_.released);
}

TEST_F(DeliverWebhooksTest, SilentEndpointKeepsOnePageInMemory) {
  feed_.newest = 1'000'000;
  client_.silent = true;
  const auto begin = std::chrono::steady_clock::now();
  RunUntil([&] { return std::chrono::steady_clock::now() - begin > Seconds{1}; });
  EXPECT_EQ(client_.ids.size(), 1U);
  EXPECT_LE(feed_.read, 100U);
  EXPECT_EQ(store_.webhook.progress, WebhookProgress()) << "the shutdown is no failure of the endpoint";
}

TEST_F(DeliverWebhooksTest, FailedEventIsRetriedBeforeTheNextOne) {
  feed_.newest = 3;
  client_.status = [&](std::size_t attempt) { return attempt == 2 ? 500 : 204; };
  bool failed = false;
  RunUntil([&] {
    if (!failed && store_.webhook.progress.attempts == 1) {
      failed = true;
      EXPECT_EQ(store_.webhook.progress.next_attempt_at, kStart + Seconds{5});
      clock_.Advance(Seconds{5});
    }
    return client_.ids.size() == 4;
  });
  EXPECT_EQ(client_.ids, (std::vector<std::string>{"evt_1", "evt_2", "evt_2", "evt_3"}));
}

TEST_F(DeliverWebhooksTest, LostLeaseEndsTheDelivery) {
  feed_.newest = 1'000'000;
  store_.webhook.rate_per_second = 1000;
  std::size_t sent = 0;
  bool is_lost = false;
  int calls = 0;  // since the loss: a pause of the process is one call
  RunUntil([&] {
    if (!is_lost && client_.ids.size() > 10) {
      store_.webhook.lease = 2;
      store_.leased = false;
      is_lost = true;
    }
    if (is_lost && ++calls == 1000) sent = client_.ids.size();
    return calls >= 2000;
  });
  EXPECT_EQ(client_.ids.size(), sent) << "later nothing is sent";
  EXPECT_LE(store_.webhook.progress.cursor, 11 + 300) << "the fence keeps later progress out";
}

TEST_F(DeliverWebhooksTest, GoneEndpointGetsNothingMore) {
  feed_.newest = 5;
  client_.status = [](std::size_t) { return 410; };
  RunUntil([&] { return !store_.webhook.active(); });
  EXPECT_EQ(client_.ids.size(), 1U);
  EXPECT_EQ(store_.webhook.progress.disabled, kDisabledGone);
}

TEST_F(DeliverWebhooksTest, ResendAnsweredGoneDisablesTheEndpoint) {
  feed_.newest = 5;
  store_.webhook.progress.cursor = 5;
  store_.resends = {{1, store_.webhook.id, 3}};
  client_.status = [](std::size_t) { return 410; };
  RunUntil([&] { return !store_.webhook.active() && store_.resends.empty(); });
  EXPECT_EQ(client_.ids, std::vector<std::string>{"evt_3"});
  EXPECT_EQ(store_.webhook.progress.disabled, kDisabledGone);
  EXPECT_EQ(store_.webhook.progress.cursor, 5);
}

TEST_F(DeliverWebhooksTest, CountsOfRoomsWithPeopleAreSentOnceUntilTheyChange) {
  rooms_ = {RoomWith("main", 0), RoomWith("7", 3)};
  auto sent = progress_.Begin(RoomProgress::Beginning::kRoomsWithPeople);
  const auto first = progress_.Changes(sent);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].json,
            R"({"type":"room.progress","time":"2027-01-15T08:00:00.000Z","subject":"room 7","data":)"
            R"({"room":"7","state":"open","waiting":3,"entered":0,"capacity":0,"serving":0}})");
  EXPECT_TRUE(progress_.Changes(sent).empty());
  rooms_[1].serving.waiting = 0;
  EXPECT_EQ(progress_.Changes(sent).size(), 1U) << "an empty room is sent, too";
}

TEST_F(DeliverWebhooksTest, CountsAndEventsTakeTurns) {
  feed_.newest = 20;
  for (int room = 1; room <= 10; ++room) rooms_.push_back(RoomWith(std::to_string(room), 1));
  RunUntil([&] { return client_.ids.size() >= 30; });
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(client_.ids[i].starts_with("evt_room-"), i % 2 == 0) << i << " " << client_.ids[i];
}

TEST_F(DeliverWebhooksTest, CountsWaitForAnEventThatFails) {
  feed_.newest = 1;
  client_.status = [this](std::size_t) {
    rooms_ = {RoomWith("7", 1)};
    return client_.ids.back() == "evt_1" ? 500 : 204;
  };
  RunUntil([&] { return store_.webhook.progress.attempts == 1; });
  const auto sent = client_.ids;
  EXPECT_EQ(sent, std::vector<std::string>{"evt_1"});
}

TEST_F(DeliverWebhooksTest, FailedCountsPauseTheEndpointAndAreSentLater) {
  rooms_ = {RoomWith("7", 1)};
  client_.status = [](std::size_t attempt) { return attempt == 1 ? 500 : 204; };
  RunUntil([&] {
    if (store_.webhook.progress.attempts == 1) clock_.Advance(Seconds{6});
    return client_.ids.size() == 2;
  });
  EXPECT_EQ(client_.ids[0], client_.ids[1]) << "the same id";
}

TEST_F(DeliverWebhooksTest, EndpointOfOtherTypesGetsNoCounts) {
  store_.webhook.types = {"room.opened"};
  feed_.newest = 3;
  rooms_ = {RoomWith("7", 1)};
  RunUntil([&] { return store_.webhook.progress.cursor == 3; });
  EXPECT_EQ(client_.ids, (std::vector<std::string>{"evt_1", "evt_2", "evt_3"}));
}

}  // namespace
}  // namespace maejin
