// The rooms in Redis beside the domain's own decisions, and the keys beside plain redis-cli.
#include "adapters/redis/waiting_room_store.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "domain/waiting_room.h"
#include "tests/support/redis_server.h"

namespace maejin::redis {
namespace {

constexpr Time kDoors = TimeFromMillis(1'794'736'800'000);

UserKey KeyOf(const std::string& user) { return SipHash128({1, 2}, user); }

class RedisRooms : public testing::Test {
 protected:
  WaitingRoomStore& Store(WaitingRoomStoreOptions options = {}) {
    store_.emplace(client_, random_, std::move(options));
    EXPECT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
    return *store_;
  }
  PlaceAnswer Join(const char* room, const std::string& user) {
    return RunTask(store_->Join({room, user}, now_)).value();
  }
  void Set(const char* room, RoomPatch patch) {
    EXPECT_TRUE(RunTask(store_->Configure(room, std::move(patch), "tester", now_)).ok());
  }

  test::RedisServer server_;
  Client client_{ParseAddress(server_.Url()).value()};
  SeededRandom random_{7};
  Time now_ = kDoors;
  std::optional<WaitingRoomStore> store_;
};

// One room twice: in memory by the domain, in Redis by the scripts. Any difference in what a fan is told is a
// defect.
class BothRooms {
 public:
  BothRooms(WaitingRoomStore& store, Time& now, RoomSettings settings)
      : store_(store), now_(now), model_(std::move(settings), RoomState::kOpen, random_) {}

  void Join(const std::string& user) {
    const auto told = RunTask(store_.Join({"7", user}, now_));
    const auto wanted = model_.Join(KeyOf(user), now_);
    ASSERT_TRUE(told.ok() && wanted.ok());
    Compare(told->standing, wanted->standing);
  }

  // Of one moment in Redis, one by one in the model.
  void EnterTogether(const std::vector<std::string>& users) {
    std::vector<std::optional<Outcome<PlaceAnswer>>> told(users.size());
    std::vector<Task<void>> tasks;
    for (std::size_t i = 0; i < users.size(); ++i)
      tasks.push_back(StoreResult(store_.Enter({"7", users[i]}, now_), told[i]));
    RunTasks(std::move(tasks));
    for (std::size_t i = 0; i < users.size(); ++i) {
      SCOPED_TRACE(users[i]);
      const auto key = KeyOf(users[i]);
      const auto wanted = model_.Enter(model_.Find(key), key, now_);
      ASSERT_EQ(told[i]->ok(), wanted.ok());
      if (!wanted.ok()) {
        ASSERT_TRUE(told[i]->error().why == wanted.error().why);
        continue;
      }
      const auto inside = model_.Poll(model_.Find(key), key, now_);
      ASSERT_TRUE(inside.ok());
      Compare((*told[i])->standing, *inside);
    }
    ASSERT_EQ(RunTask(store_.ReadServing("7", now_)).value(), model_.Summary());
  }

  // Who has a place polls, who has none joins.
  void ComeTogether(const std::vector<std::string>& users) {
    std::vector<std::optional<Outcome<PlaceAnswer>>> told(users.size());
    std::vector<Task<void>> tasks;
    for (std::size_t i = 0; i < users.size(); ++i) {
      const auto number = model_.Find(KeyOf(users[i]));
      auto ask =
          number == 0 ? store_.Join({"7", users[i]}, now_) : store_.Poll({"7", users[i], number}, now_);
      tasks.push_back(StoreResult(std::move(ask), told[i]));
    }
    RunTasks(std::move(tasks));
    model_.Advance(now_);
    for (std::size_t i = 0; i < users.size(); ++i) {
      SCOPED_TRACE(users[i]);
      const auto wanted = model_.Join(KeyOf(users[i]), now_);  // who has a place keeps it
      ASSERT_TRUE(told[i]->ok() && wanted.ok());
      Compare((*told[i])->standing, wanted->standing);
    }
    ASSERT_EQ(RunTask(store_.ReadServing("7", now_)).value(), model_.Summary());
  }

  void Leave(const std::string& user) {
    ASSERT_TRUE(RunTask(store_.Leave({"7", user}, now_)).ok());
    model_.End(model_.Find(KeyOf(user)), KeyOf(user), Ending::kLeft, now_);
  }

  void Step(std::mt19937& chance, int step) {
    const auto user = "fan" + std::to_string(chance() % 12);
    const auto key = KeyOf(user);
    SCOPED_TRACE("step " + std::to_string(step) + " " + user);
    now_ += Millis{chance() % 4 == 0 ? chance() % 4000 : chance() % 200};
    switch (chance() % 8) {
      case 0:
      case 1: {
        const auto told = RunTask(store_.Join({"7", user}, now_));
        const auto wanted = model_.Join(key, now_);
        ASSERT_EQ(told.ok(), wanted.ok());
        if (told.ok()) Compare(told->standing, wanted->standing);
        break;
      }
      case 2: {
        const auto told = RunTask(store_.Enter({"7", user}, now_));
        const auto wanted = model_.Enter(model_.Find(key), key, now_);
        ASSERT_EQ(told.ok(), wanted.ok());
        ASSERT_TRUE(told.ok() || told.error().why == wanted.error().why);
        break;
      }
      case 3:
        ASSERT_TRUE(RunTask(store_.Leave({"7", user}, now_)).ok());
        model_.End(model_.Find(key), key, Ending::kLeft, now_);
        break;
      default: {
        const auto told = RunTask(store_.Poll({"7", user}, now_));
        model_.Advance(now_);
        const auto wanted = model_.Poll(model_.Find(key), key, now_);
        ASSERT_EQ(told.ok(), wanted.ok());
        if (told.ok()) Compare(told->standing, *wanted);
        break;
      }
    }
    CheckInside("fan" + std::to_string(chance() % 12));
    // Again in the same millisecond, where a poll may be answered by the short way.
    const auto other = "fan" + std::to_string(chance() % 12);
    const auto told = RunTask(store_.Poll({"7", other}, now_));
    const auto wanted = model_.Poll(model_.Find(KeyOf(other)), KeyOf(other), now_);
    ASSERT_EQ(told.ok(), wanted.ok());
    if (told.ok()) Compare(told->standing, *wanted);
    const auto serving = RunTask(store_.ReadServing("7", now_)).value();
    model_.Advance(now_);
    ASSERT_EQ(serving, model_.Summary());
    ASSERT_LE(serving.entered, serving.capacity);
  }

 private:
  void CheckInside(const std::string& user) {
    SCOPED_TRACE("inside? " + user);
    const auto number = model_.Find(KeyOf(user));
    const auto told = RunTask(store_.CheckInside({"7", user, number}, now_));
    ASSERT_EQ(told.ok(), model_.IsInside(number, KeyOf(user), now_));
    if (!told.ok()) return;
    const auto wanted = model_.Look(number, KeyOf(user), now_).value();
    Compare(told->standing, wanted);
    ASSERT_EQ(told->standing.entered_at, wanted.entered_at);
    ASSERT_EQ(told->standing.session_ends_at, wanted.session_ends_at);
  }
  static void Compare(const Standing& told, const Standing& wanted) {
    ASSERT_EQ(Name(told.status), Name(wanted.status));
    ASSERT_EQ(told.number, wanted.number);
    ASSERT_EQ(told.rank, wanted.rank);
    ASSERT_EQ(told.poll_after, wanted.poll_after);
    ASSERT_EQ(told.ends_at, wanted.ends_at);
  }

  WaitingRoomStore& store_;
  Time& now_;
  SeededRandom random_{7};
  WaitingRoom model_;
};

TEST_F(RedisRooms, DecideAsTheDomainDecides) {
  const auto rates = {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{30}};
  std::uint32_t seed = 1;
  for (const auto admission : {Admission::kClaim, Admission::kPush}) {
    for (const auto& rate : rates) {
      server_.Cli("FLUSHALL");
      auto& store = Store({.gather = Millis{0}});
      RoomPatch patch;
      patch.capacity = 3;
      patch.admission = admission;
      patch.rate_per_minute = rate;
      patch.token_ttl = Seconds{20};
      patch.session_limit = Seconds{60};
      patch.turn = Seconds{5};
      patch.grace = Seconds{30};
      Set("7", patch);
      BothRooms both(store, now_, Apply(DefaultSettings("7"), patch));
      std::mt19937 chance(seed++);
      for (int step = 0; step < 1500 && !HasFailure(); ++step) both.Step(chance, step);
      ASSERT_FALSE(HasFailure()) << Name(admission) << " rate " << rate.value_or(0);
    }
  }
}

TEST_F(RedisRooms, WhoEntersTogetherIsDecidedAsOneByOne) {
  auto& store = Store();
  const RoomPatch patch{.capacity = 5};
  Set("7", patch);
  BothRooms both(store, now_, Apply(DefaultSettings("7"), patch));
  std::mt19937 chance(1);
  std::vector<std::string> fans;
  for (int i = 0; i < 40; ++i) fans.push_back("fan" + std::to_string(i));
  for (const auto& fan : fans) both.Join(fan);
  for (int round = 0; round < 6 && !HasFailure(); ++round) {
    now_ += Millis{100};
    // In any order, out of turn, again while inside, and without a place.
    auto coming = fans;
    coming.push_back("nobody" + std::to_string(round));
    std::shuffle(coming.begin(), coming.end(), chance);
    coming.resize(25);
    both.EnterTogether(coming);
    for (int i = 0; i < 2; ++i) both.Leave(fans[chance() % 10]);
  }
  auto inside = server_.Cli("ZRANGE room:7:slots 0 0");
  inside.pop_back();
  EXPECT_EQ(server_.Cli("EXISTS token:7:" + inside), "1\n");
}

TEST_F(RedisRooms, WhoComesTogetherIsToldAsOneByOne) {
  for (const auto& rate : {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{100}}) {
    server_.Cli("FLUSHALL");
    auto& store = Store();
    RoomPatch patch{.capacity = 30};
    patch.rate_per_minute = rate;
    patch.turn = Seconds{3};  // some let it pass
    Set("7", patch);
    BothRooms both(store, now_, Apply(DefaultSettings("7"), patch));
    std::mt19937 chance(5);
    std::vector<std::string> fans;
    for (int round = 0; round < 12 && !HasFailure(); ++round) {
      SCOPED_TRACE(round);
      now_ += Millis{800};
      // First there is more room than there are fans, then less.
      for (int i = 0; i < 8; ++i) fans.push_back("fan" + std::to_string(fans.size()));
      std::shuffle(fans.begin(), fans.end(), chance);
      both.ComeTogether(fans);
      if (round % 3 == 2) both.EnterTogether({fans.begin(), fans.begin() + 12});
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(RedisRooms, ManyWhoComeToARoomThatIsNotFullShareAScript) {
  auto& store = Store();
  Set("7", {.capacity = 30});
  Join("7", "fan0");  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(50);
  std::vector<Task<void>> tasks;
  for (std::size_t i = 1; i < told.size(); ++i)
    tasks.push_back(StoreResult(store.Join({"7", "fan" + std::to_string(i)}, now_), told[i]));
  RunTasks(std::move(tasks));
  for (std::size_t i = 1; i < told.size(); ++i) {
    const auto& standing = (*told[i])->standing;
    EXPECT_EQ(Name(standing.status), Name(i < 30 ? PlaceStatus::kReady : PlaceStatus::kWaiting)) << i;
    EXPECT_EQ(standing.ends_at, i < 30 ? std::optional(now_ + DefaultSettings("7").turn) : std::nullopt);
  }
  EXPECT_LE(server_.Calls("evalsha"), 3);
  EXPECT_EQ(server_.Cli("ZCARD room:7:turns"), "30\n");
}

TEST_F(RedisRooms, WhoIsInsideIsKnownWithoutTheRulesOfTheRoom) {
  auto& store = Store();
  Set("7", {.capacity = 1});
  const auto epoch = Join("7", "ann").epoch;
  Join("7", "bob");
  ASSERT_TRUE(RunTask(store.Enter({"7", "ann"}, now_)).ok());
  const PlaceRef ann{"7", "ann", 1, epoch};
  ASSERT_TRUE(RunTask(store.CheckInside(ann, now_)).ok());  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  EXPECT_TRUE(RunTask(store.CheckInside(ann, now_)).ok());
  EXPECT_EQ(server_.Calls("evalsha"), 1);
  EXPECT_EQ(server_.Calls("hmget") + server_.Calls("hget"), 2);
  EXPECT_EQ(RunTask(store.CheckInside({"7", "bob", 2, epoch}, now_)).error(), Refusal::kNotYourTurn);
  EXPECT_EQ(RunTask(store.CheckInside({"7", "eve", 2, epoch}, now_)).error(), Refusal::kNotQueued);
}

TEST_F(RedisRooms, ManyWhoEnterAtOnceShareAScript) {
  auto& store = Store();
  Set("7", {.capacity = 50});
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(50);
  for (std::size_t i = 0; i < told.size(); ++i) Join("7", "fan" + std::to_string(i));
  ASSERT_TRUE(RunTask(store.Enter({"7", "fan0"}, now_)).ok());  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  std::vector<Task<void>> tasks;
  for (std::size_t i = 1; i < told.size(); ++i)
    tasks.push_back(StoreResult(store.Enter({"7", "fan" + std::to_string(i)}, now_), told[i]));
  RunTasks(std::move(tasks));
  for (std::size_t i = 1; i < told.size(); ++i) ASSERT_TRUE(told[i]->ok());
  EXPECT_LE(server_.Calls("zrem"), 3 * 2) << "two a script: after the batch of fan0 they gather";
  EXPECT_EQ(server_.Cli("ZCARD room:7:slots"), "50\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "50\n");
  // The database has them all: nothing is left to be remembered.
  test::AwaitCli(server_.port(), "LLEN room:7:log", "0");
}

TEST_F(RedisRooms, BeforeTheOpeningManyShareAScriptToo) {
  auto& store = Store();
  RoomPatch patch{.pre_queue_at = now_, .opens_at = now_ + Seconds{600}};
  patch.state = RoomState::kPreQueue;
  Set("7", patch);
  Join("7", "fan0");  // also loads the script
  server_.Cli("CONFIG RESETSTAT");
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(50);
  for (const bool joining : {true, false}) {
    now_ += Seconds{1};
    std::vector<Task<void>> tasks;
    for (std::size_t i = 1; i < told.size(); ++i) {
      const auto user = "fan" + std::to_string(i);
      const auto number = joining ? 0 : (*told[i])->standing.number;
      auto ask = joining ? store.Join({"7", user}, now_) : store.Poll({"7", user, number}, now_);
      tasks.push_back(StoreResult(std::move(ask), told[i]));
    }
    RunTasks(std::move(tasks));
    for (std::size_t i = 1; i < told.size(); ++i) {
      ASSERT_TRUE(told[i]->ok());
      const auto& standing = (*told[i])->standing;
      EXPECT_EQ(standing.number, i + 1) << "in the order they came";
      EXPECT_FALSE(standing.rank) << "there is no order yet";
      EXPECT_EQ(standing.poll_interval, Seconds{10});
    }
  }
  EXPECT_LE(server_.Calls("evalsha"), 6);
}

// When Redis was slow for a while everybody is silent for a while: were each then asked for alone, it would stay slow.
TEST_F(RedisRooms, ThoseWhoComeBackAfterASilenceShareAScriptToo) {
  auto& store = Store();
  Set("7", {.capacity = 0});
  for (int i = 0; i < 50; ++i) Join("7", "fan" + std::to_string(i));
  now_ += Seconds{20};
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  ASSERT_EQ(server_.Cli("ZCARD room:7:skipped"), "50\n") << "nobody waits for them";
  server_.Cli("CONFIG RESETSTAT");
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(50);
  std::vector<Task<void>> tasks;
  for (PlaceNumber i = 0; i < 50; ++i)
    tasks.push_back(StoreResult(store.Poll({"7", "fan" + std::to_string(i), i + 1}, now_), told[i]));
  RunTasks(std::move(tasks));
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ((*told[i])->standing.rank, i);
  EXPECT_LE(server_.Calls("evalsha"), 3);
  EXPECT_EQ(server_.Cli("ZCARD room:7:skipped"), "0\n") << "they are waited for again";
  now_ += Seconds{20};
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  EXPECT_EQ(server_.Cli("ZCARD room:7:skipped"), "50\n") << "until they miss their polls again";
}

TEST_F(RedisRooms, OfThoseWhoComeBackTogetherOnlyTheFirstAreReady) {
  auto& store = Store();
  Set("7", {.capacity = 2});
  for (int i = 0; i < 10; ++i) Join("7", "fan" + std::to_string(i));
  now_ += Seconds{20};
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  ASSERT_EQ(server_.Cli("ZCARD room:7:skipped"), "10\n") << "nobody waits for them";
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(10);
  std::vector<Task<void>> tasks;
  for (PlaceNumber i = 0; i < 10; ++i)
    tasks.push_back(StoreResult(store.Poll({"7", "fan" + std::to_string(i), i + 1}, now_), told[i]));
  RunTasks(std::move(tasks));
  for (std::size_t i = 0; i < told.size(); ++i)
    EXPECT_EQ(Name((*told[i])->standing.status), Name(i < 2 ? PlaceStatus::kReady : PlaceStatus::kWaiting))
        << i;
}

// Two kinds of fans who are to ask again after nearly the same time: the undrawn of a second pre-queue that opens soon,
// and one of before who came up to the front.
TEST_F(RedisRooms, EverybodyOfABatchIsLookedAtInTime) {
  auto& store = Store();
  Set("7", {.capacity = 0});
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(501);
  std::vector<Task<void>> tasks;
  for (std::size_t i = 0; i < told.size(); ++i)
    tasks.push_back(StoreResult(store.Join({"7", "fan" + std::to_string(i)}, now_), told[i]));
  RunTasks(std::move(tasks));
  ASSERT_EQ((*told[500])->standing.poll_interval, Seconds{4});
  ASSERT_TRUE(RunTask(store.Leave({"7", "fan0"}, now_)).ok());
  RoomPatch patch{.pre_queue_at = now_, .opens_at = now_ + Millis{7800}};
  patch.state = RoomState::kPreQueue;
  Set("7", patch);
  ASSERT_TRUE(RunTask(store.Poll({"7", "fan1"}, now_)).ok());  // after it others gather
  tasks.clear();
  tasks.push_back(StoreResult(store.Join({"7", "ann"}, now_), told[0]));
  tasks.push_back(StoreResult(store.Poll({"7", "fan500"}, now_), told[1]));
  tasks.push_back(StoreResult(store.Join({"7", "bob"}, now_), told[2]));
  RunTasks(std::move(tasks));
  EXPECT_EQ((*told[1])->standing.poll_interval, Seconds{2});
  EXPECT_EQ((*told[2])->standing.poll_interval, Millis{1950});
  const auto at = std::to_string(ToMillis(now_ + Seconds{6}));
  const auto due = server_.Cli("ZRANGEBYSCORE room:7:due " + at + " " + at);
  for (const char* user : {"ann", "fan500", "bob"}) EXPECT_NE(due.find(user), std::string::npos) << user;
}

TEST_F(RedisRooms, CanBeReadByOthersUnderTheSeedsNames) {
  Store(
      {.token_of = [](const PlaceView& place) { return "token-of-" + std::string(place.user); },
       .seats_left =
           [](const RoomId& room) { return room == "7" ? std::optional<std::int64_t>(50) : std::nullopt; }});
  Set("7", {.capacity = 1});
  Join("7", "minji");
  Join("7", "haerin");
  ASSERT_TRUE(RunTask(store_->Enter({"7", "minji"}, now_)).ok());
  EXPECT_EQ(server_.Cli("ZRANGE queue:7 0 -1"), "haerin\n");
  EXPECT_EQ(server_.Cli("ZRANK queue:7 haerin"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:7:minji"), "1\n");
  EXPECT_NE(server_.Cli("TTL token:7:minji"), "-1\n");
  EXPECT_EQ(server_.Cli("EXISTS token:7:haerin"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "1\n");
  EXPECT_EQ(server_.Cli("ZRANGE room:7:slots 0 -1"), "minji\n");
  store_->Tick(now_ + Seconds{1});
  test::AwaitCli(server_.port(), "GET seat:count:7", "50");
  ASSERT_TRUE(RunTask(store_->Leave({"7", "minji"}, now_)).ok());
  EXPECT_EQ(server_.Cli("EXISTS token:7:minji"), "0\n");
  EXPECT_EQ(server_.Cli("GET token:count:7"), "0\n");

  Set("main", {.capacity = 1});
  Join("main", "danielle");
  Join("main", "hyein");
  test::AwaitCli(server_.port(), "SMEMBERS queue:active", "token-of-danielle");
  test::AwaitCli(server_.port(), "ZRANGE queue:waiting 0 -1", "token-of-hyein");
  test::AwaitCli(server_.port(), "GET queue:user:danielle", "token-of-danielle");
  test::AwaitCli(server_.port(), "GET queue:token:token-of-danielle", "danielle");
  EXPECT_NE(server_.Cli("TTL queue:token:token-of-danielle"), "-1\n");
  ASSERT_TRUE(RunTask(store_->Leave({"main", "danielle"}, now_)).ok());
  EXPECT_EQ(server_.Cli("SMEMBERS queue:active"), "token-of-hyein\n") << "the next was pushed in";
  EXPECT_EQ(server_.Cli("ZCARD queue:waiting"), "0\n");
}

TEST_F(RedisRooms, AFanIsPutBackAtTheSameNumberAfterRedisLostItsMemory) {
  auto& store = Store({.hold_after_loss = Millis{5000}});
  Set("7", {.capacity = 1, .notice = std::string("hello")});
  std::vector<PlaceAnswer> before;
  for (const char* user : {"ann", "bob", "cat"}) before.push_back(Join("7", user));
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  server_.Cli("FLUSHALL");
  const auto poll = [&](const char* user, std::size_t i) {
    return RunTask(store.Poll({"7", user, before[i].standing.number, before[i].epoch}, now_));
  };
  now_ += Seconds{1};
  const auto newcomer = Join("7", "eve");
  EXPECT_EQ(poll("cat", 2)->standing.number, 3U);
  EXPECT_EQ(poll("ann", 0)->standing.rank, 0U) << "whoever comes back first, the order is the old one";
  EXPECT_EQ(poll("bob", 1)->standing.rank, 1U);
  EXPECT_EQ(poll("cat", 2)->standing.rank, 2U);
  EXPECT_EQ(*poll("cat", 2)->notice, "hello");
  EXPECT_EQ(RunTask(store.Poll({"7", "eve"}, now_))->standing.rank, 3U);
  EXPECT_GT(newcomer.epoch, before[0].epoch);
  EXPECT_EQ(RunTask(store.Enter({"7", "ann", 1, before[0].epoch}, now_)).error(), Refusal::kNotYourTurn)
      << "nobody is admitted while others may still come back";
  now_ += Seconds{5};
  EXPECT_TRUE(RunTask(store.Enter({"7", "ann", 1, before[0].epoch}, now_)).ok());
}

TEST_F(RedisRooms, PositionsAreToldWhileRedisIsAway) {
  auto& store = Store();
  Set("7", {.capacity = 0});
  std::vector<PlaceAnswer> places;
  for (int i = 0; i < 10; ++i) places.push_back(Join("7", "fan" + std::to_string(i)));
  ASSERT_TRUE(RunTask(store.Read("7", now_)).ok());
  server_.Kill();
  const auto told = RunTask(store.Poll({"7", "fan4", places[4].standing.number, places[4].epoch}, now_));
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->standing.rank, 4U);
  EXPECT_EQ(told->state, RoomState::kPaused);
  EXPECT_EQ(RunTask(store.Join({"7", "late"}, now_)).error(), Refusal::kUnavailable);
  EXPECT_EQ(RunTask(store.Enter({"7", "fan0", 1, places[0].epoch}, now_)).error(), Refusal::kUnavailable);
}

TEST_F(RedisRooms, PhasesComeByTimeAndTheDrawWithThem) {
  auto& store = Store();
  Set("7", {.state = RoomState::kClosed});
  Set("7", {.capacity = 0,
            .pre_queue_at = std::optional(now_ + Seconds{10}),
            .opens_at = std::optional(now_ + Seconds{20}),
            .closes_at = std::optional(now_ + Seconds{30}),
            .state = RoomState::kScheduled});
  EXPECT_EQ(RunTask(store.Join({"7", "ann"}, now_)).error(), Refusal::kNotOpen);
  now_ += Seconds{10};
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Join("7", "fan" + std::to_string(i)).standing.rank);
  now_ += Seconds{10};
  const auto draw_rank = RunTask(store.Poll({"7", "fan3"}, now_))->standing.rank;
  const auto draw = RunTask(store.Read("7", now_))->draws.back();
  EXPECT_EQ(draw.count, 20U);
  EXPECT_EQ(draw_rank, Shuffle(draw.seed, draw.count).PositionOf(3));
  EXPECT_EQ(Join("7", "late").standing.rank, 20U);
  now_ += Seconds{10};
  EXPECT_EQ(RunTask(store.Join({"7", "later"}, now_)).error(), Refusal::kRoomClosed);
}

}  // namespace
}  // namespace maejin::redis
