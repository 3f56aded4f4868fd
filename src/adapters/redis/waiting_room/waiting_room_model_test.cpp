// Compares rooms in Redis with the domain: a fan gets the same answer from both.
#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/siphash.h"
#include "domain/waiting_room/waiting_room.h"
#include "tests/support/await.h"
#include "tests/support/redis_rooms.h"

namespace maejin::redis {
namespace {

UserKey KeyOf(const std::string& user) { return SipHash128({1, 2}, user); }

// The same room twice: the domain decides one in memory, the scripts decide the other in Redis. Any
// difference between two answers is a defect.
class BothRooms {
 public:
  BothRooms(WaitingRoomStore& store, Time& now, RoomSettings settings)
      : store_(store),
        now_(now),
        model_(std::move(settings), RoomState::kOpen, random_),
        epoch_(RunTask(store.Read("7", now))->epoch) {}

  void Join(const std::string& user) {
    const auto told = RunTask(store_.Join({"7", user}, now_));
    const auto wanted = model_.Join(KeyOf(user), now_);
    ASSERT_TRUE(told.ok() && wanted.ok());
    Compare(told->standing, wanted->standing);
  }

  // The fans enter at once in Redis, and one after the other in the model. Redis decides a batch in the order
  // of the numbers.
  void EnterTogether(const std::vector<std::string>& users) {
    by_token_ = !by_token_;
    std::vector<PlaceRef> places;
    for (const auto& user : users) places.push_back(PlaceOf(user, by_token_));
    const auto told = AllAtOnce(users.size(), [&](auto i) { return store_.Enter(places[i], now_); });
    std::vector<std::size_t> order(users.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(places[i].number, i); });
    for (const auto i : order) {
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
      admitted_.insert(inside->number);
    }
    ASSERT_EQ(RunTask(store_.ReadServing("7", now_)).value(), model_.Summary());
    ASSERT_EQ(RunTask(store_.ReadTally("7", now_))->admissions, admitted_.size());
  }

  // A fan with a place polls, a fan without one joins.
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
      const auto wanted = model_.Join(KeyOf(users[i]), now_);  // a fan with a place keeps it
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
        const auto told = RunTask(store_.Enter(PlaceOf(user, chance() % 2 > 0), now_));
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
    for (int fan = 0; fan < 12; ++fan) LookAtMirror("fan" + std::to_string(fan));
    // A second fan polls in the same millisecond, when no more work is due.
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

  // The number of polls that the mirror answered.
  int mirrored() const { return mirrored_; }

 private:
  // Names the place by number and epoch, as a token does, or by the user alone.
  PlaceRef PlaceOf(const std::string& user, bool by_token) const {
    const auto number = by_token ? model_.Find(KeyOf(user)) : 0;
    return {"7", user, number, number > 0 ? epoch_ : 0};
  }
  // If the mirror answers, its answer equals the domain's.
  void LookAtMirror(const std::string& user) {
    SCOPED_TRACE("mirrored " + user);
    const auto number = model_.Find(KeyOf(user));
    if (number == 0) return;
    const auto told = store_.PeekAtOnce({"7", user, number, 0}, now_);
    if (!told) return;
    ASSERT_TRUE(told->ok());
    Compare((*told)->standing, model_.Look(number, KeyOf(user), now_).value());
    ++mirrored_;
  }
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
  const std::uint32_t epoch_;
  bool by_token_ = false;           // whether the last batch of entries named places by token
  std::set<PlaceNumber> admitted_;  // in calls of EnterTogether()
  int mirrored_ = 0;
};

TEST_F(RedisRooms, RandomCallsAreDecidedAsInTheDomain) {
  const auto rates = {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{30}};
  std::uint32_t seed = 1;
  for (const auto admission : {Admission::kClaim, Admission::kPush}) {
    for (const auto& rate : rates) {
      server_.Cli("FLUSHALL");
      log_.Lose();  // otherwise the room goes on as after a loss
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
      EXPECT_GT(both.mirrored(), 300);
    }
  }
}

// The mirror answers the fans' polls, and Redis gets only the times of these polls. Redis and the domain must
// count the same fans as present.
TEST_F(RedisRooms, PollsOfTheMirrorCountAsPresenceAsInTheDomain) {
  std::atomic<int> ticks{0};
  auto& store = Store({.seats_left = [&](const RoomId& room) {
    if (room == "7") ++ticks;
    return std::optional<std::int64_t>{};
  }});
  const RoomPatch closed{.capacity = 0, .grace = Seconds{15}};
  Set("7", closed);
  SeededRandom random(7);
  WaitingRoom model(Apply(DefaultSettings("7"), closed), RoomState::kOpen, random);
  std::mt19937 chance(3);
  std::map<std::string, PlaceRef> places;
  int mirrored = 0;
  for (int second = 0; second < 60; ++second) {
    const auto before = ticks.load();
    store.Tick(now_ += Seconds{1});
    ASSERT_TRUE(test::Await([&] { return ticks > before; }));
    ASSERT_TRUE(RunTask(client_.Call(Command("PING"))).ok());  // answered when the tick has ended
    model.Advance(now_);
    for (int i = 0; i < 30; ++i) {
      const auto user = FanName(static_cast<PlaceNumber>(i));
      const auto number = model.Find(KeyOf(user));
      if (number == 0) {
        if (second > 30) continue;  // its place has ended
        const auto joined = Join("7", user);
        places[user] = {"7", user, joined.standing.number, joined.epoch};
        ASSERT_EQ(model.Join(KeyOf(user), now_)->standing.number, joined.standing.number);
      } else if (chance() % (1 + static_cast<unsigned>(i) / 4) == 0) {  // a higher index polls less often
        mirrored += store.PollAtOnce(places[user].view(), now_) ? 1 : 0;
        const auto told = RunTask(store.Poll(places[user], now_));
        const auto wanted = model.Poll(number, KeyOf(user), now_);
        ASSERT_TRUE(told.ok() && wanted.ok()) << user << " in second " << second;
        ASSERT_EQ(told->standing.rank, wanted->rank) << user << " in second " << second;
      }
    }
  }
  EXPECT_GT(mirrored, 200);
  const RoomPatch open{.capacity = 12, .admission = Admission::kPush};
  Set("7", open);
  ASSERT_TRUE(model.Configure(open, now_).ok());
  EXPECT_EQ(RunTask(store.ReadServing("7", now_)).value(), model.Summary());
  for (const auto& [user, place] : places) {
    const bool inside = RunTask(store.CheckInside(place, now_)).ok();
    EXPECT_EQ(inside, model.IsInside(place.number, KeyOf(user), now_)) << user;
  }
}

TEST_F(RedisRooms, EntriesOfABatchAreDecidedAsOneByOne) {
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
    // The fans come in random order. Some have no turn, are inside, have no place, or come twice.
    auto coming = fans;
    coming.insert(coming.end(), fans.begin(), fans.end());
    coming.push_back("nobody" + std::to_string(round));
    std::shuffle(coming.begin(), coming.end(), chance);
    coming.resize(40);
    both.EnterTogether(coming);
    for (int i = 0; i < 2; ++i) both.Leave(fans[chance() % 10]);
  }
  auto inside = server_.Cli("ZRANGE room:7:slots 0 0");
  inside.pop_back();
  EXPECT_EQ(server_.Cli("EXISTS token:7:" + inside), "1\n");
}

TEST_F(RedisRooms, JoinsOfABatchAreAnsweredAsOneByOne) {
  for (const auto& rate : {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{100}}) {
    server_.Cli("FLUSHALL");
    log_.Lose();
    auto& store = Store();
    RoomPatch patch{.capacity = 30};
    patch.rate_per_minute = rate;
    patch.turn = Seconds{3};  // some turns pass unused
    Set("7", patch);
    BothRooms both(store, now_, Apply(DefaultSettings("7"), patch));
    std::mt19937 chance(5);
    std::vector<std::string> fans;
    for (int round = 0; round < 12 && !HasFailure(); ++round) {
      SCOPED_TRACE(round);
      now_ += Millis{800};
      // First there are more slots than fans, then fewer.
      for (int i = 0; i < 8; ++i) fans.push_back("fan" + std::to_string(fans.size()));
      std::shuffle(fans.begin(), fans.end(), chance);
      both.ComeTogether(fans);
      if (round % 3 == 2) both.EnterTogether({fans.begin(), fans.begin() + 12});
    }
    ASSERT_FALSE(HasFailure());
  }
}

// If ann and bob were answered after cat and dan, a later fan would get a turn that belongs to ann or bob.
TEST_F(RedisRooms, ReturningReadyFanIsAnsweredBeforeLaterFansOfItsBatch) {
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
