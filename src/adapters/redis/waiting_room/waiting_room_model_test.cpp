// The rooms in Redis beside those of the domain: what a fan is told is the same, whoever decides.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/siphash.h"
#include "domain/waiting_room/waiting_room.h"
#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

UserKey KeyOf(const std::string& user) { return SipHash128({1, 2}, user); }

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
    const auto told = AllAtOnce(users.size(), [&](auto i) { return store_.Enter({"7", users[i]}, now_); });
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
      auto& store = Store({.batch_window = Millis{0}});
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

// Were they told after those who came behind them, those would hear of a turn that is not theirs.
TEST_F(RedisRooms, WhoComesBackToATurnIsToldBeforeThoseWhoComeBehind) {
  auto& store = Store();
  const RoomPatch patch{.capacity = 2};
  Set("7", patch);
  BothRooms both(store, now_, Apply(DefaultSettings("7"), patch));
  both.ComeTogether({"ann", "bob"});
  now_ += Seconds{20};  // both are absent
  both.ComeTogether({"ann", "bob", "cat", "dan"});
}

}  // namespace
}  // namespace maejin::redis
