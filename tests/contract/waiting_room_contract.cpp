#include "tests/contract/waiting_room_contract.h"

#include "base/run_task.h"

namespace maejin {
namespace {

constexpr Time kStart = TimeFromMillis(1'794'736'800'000);

class Rooms {
 public:
  explicit Rooms(const WaitingRoomBedFactory& factory) : bed_(factory.make(kStart)) { Ensure("7"); }

  WaitingRoomStore& store() { return bed_->store(); }
  void Restart() { bed_->Restart(now); }
  void Ensure(const char* room) { EXPECT_TRUE(RunTask(store().EnsureRoom(room, now)).ok()); }
  void Set(const char* room, RoomPatch patch) {
    const auto done = RunTask(store().Configure(room, std::move(patch), "tester", now));
    EXPECT_TRUE(done.ok());
  }
  Outcome<PlaceAnswer> TryJoin(const char* room, const std::string& user) {
    return RunTask(store().Join({room, user}, now));
  }
  PlaceAnswer Join(const char* room, const std::string& user) { return *TryJoin(room, user); }
  Outcome<PlaceAnswer> Poll(const char* room, const std::string& user) {
    return RunTask(store().Poll({room, user}, now));
  }
  PlaceStatus Status(const char* room, const std::string& user) { return Poll(room, user)->standing.status; }
  Outcome<PlaceAnswer> Enter(const char* room, const std::string& user) {
    return RunTask(store().Enter({room, user}, now));
  }
  void Leave(const char* room, const std::string& user) {
    EXPECT_TRUE(RunTask(store().Leave({room, user}, now)).ok());
  }
  Serving ServingOf(const char* room) { return *RunTask(store().ReadServing(room, now)); }
  bool IsInside(const char* room, const std::string& user) {
    return RunTask(store().CheckInside({room, user}, now)).ok();
  }
  void Pass(Millis time) {
    now += time;
    store().Tick(now);
  }

  Time now = kStart;

 private:
  std::unique_ptr<WaitingRoomBed> bed_;
};

TEST_P(WaitingRoomContract, AnUnknownRoomIsRefusedByName) {
  Rooms rooms(GetParam());
  EXPECT_EQ(rooms.TryJoin("8", "ann").error(), Refusal::kRoomNotFound);
  EXPECT_EQ(rooms.Poll("8", "ann").error(), Refusal::kRoomNotFound);
  EXPECT_EQ(RunTask(rooms.store().Read("8", kStart)).error(), Refusal::kRoomNotFound);
}

TEST_P(WaitingRoomContract, RoomsStartWithTheirDefaultSettings) {
  Rooms rooms(GetParam());
  const auto concert = RunTask(rooms.store().Read("7", kStart));
  EXPECT_EQ(concert->settings, DefaultSettings("7"));
  EXPECT_EQ(concert->settings.capacity, 800U);
  const auto main = RunTask(rooms.store().Read("main", kStart));
  EXPECT_EQ(main->settings.admission, Admission::kPush);
  EXPECT_EQ(main->settings.capacity, 100U);
}

TEST_P(WaitingRoomContract, JoiningIsFirstComeFirstServedAndJoiningAgainKeepsThePlace) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 0});
  EXPECT_TRUE(rooms.Join("7", "ann").first);
  EXPECT_EQ(rooms.Join("7", "bob").standing.rank, 1U);
  const auto again = rooms.Join("7", "ann");
  EXPECT_FALSE(again.first);
  EXPECT_EQ(again.standing.number, 1U);
  EXPECT_EQ(again.standing.rank, 0U);
}

TEST_P(WaitingRoomContract, RepeatedEnterTakesOneSlot) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 1});
  rooms.Join("7", "ann");
  rooms.Join("7", "bob");
  EXPECT_EQ(rooms.Enter("7", "bob").error(), Refusal::kNotYourTurn);
  EXPECT_EQ(rooms.Status("7", "ann"), PlaceStatus::kReady);
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  EXPECT_EQ(rooms.ServingOf("7").entered, 1U);
  EXPECT_EQ(rooms.Enter("7", "eve").error(), Refusal::kNotQueued);
  EXPECT_TRUE(rooms.IsInside("7", "ann"));
  EXPECT_FALSE(rooms.IsInside("7", "bob"));
}

TEST_P(WaitingRoomContract, EndedSlotIsFreedOnce) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 1});
  rooms.Join("7", "ann");
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  EXPECT_TRUE(RunTask(rooms.store().ReleaseAfterPayment("7", "ann", rooms.now)).ok());
  EXPECT_TRUE(RunTask(rooms.store().ReleaseAfterPayment("7", "ann", rooms.now)).ok());
  rooms.Leave("7", "ann");
  rooms.Pass(Seconds{4000});
  EXPECT_EQ(rooms.ServingOf("7").entered, 0U);
  EXPECT_EQ(rooms.Join("7", "ann").standing.number, 2U);
}

TEST_P(WaitingRoomContract, PaymentFreesASlotOnlyWithReleaseOnPayment) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 1, .release_on_payment = false});
  rooms.Join("7", "ann");
  rooms.Join("7", "bob");
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  EXPECT_TRUE(RunTask(rooms.store().ReleaseAfterPayment("7", "ann", rooms.now)).ok());
  EXPECT_EQ(rooms.ServingOf("7").entered, 1U);
  rooms.Set("7", {.release_on_payment = true});
  EXPECT_TRUE(RunTask(rooms.store().ReleaseAfterPayment("7", "bob", rooms.now)).ok());
  EXPECT_EQ(rooms.ServingOf("7").waiting, 1U) << "bob has no slot";
}

TEST_P(WaitingRoomContract, PollingRenewsASlotUpToTheSessionLimit) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.token_ttl = Seconds{10}, .session_limit = Seconds{25}});
  rooms.Join("7", "ann");
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  rooms.Pass(Seconds{9});
  EXPECT_EQ(rooms.Status("7", "ann"), PlaceStatus::kEntered);
  rooms.Pass(Seconds{9});
  EXPECT_EQ(rooms.Status("7", "ann"), PlaceStatus::kEntered);
  rooms.Pass(Millis{6999});
  EXPECT_TRUE(rooms.IsInside("7", "ann"));
  rooms.Pass(Millis{1});
  EXPECT_FALSE(rooms.IsInside("7", "ann"));
  EXPECT_EQ(rooms.Poll("7", "ann").error(), Refusal::kNotQueued);
  EXPECT_EQ(rooms.ServingOf("7").entered, 0U);
}

TEST_P(WaitingRoomContract, PushRoomFillsFreeSlotsInOrder) {
  Rooms rooms(GetParam());
  rooms.Set("main", {.capacity = 2});
  EXPECT_EQ(rooms.Join("main", "a").standing.status, PlaceStatus::kEntered);
  EXPECT_EQ(rooms.Join("main", "b").standing.status, PlaceStatus::kEntered);
  for (const char* user : {"c", "d", "e"}) {
    EXPECT_EQ(rooms.Join("main", user).standing.status, PlaceStatus::kWaiting);
  }
  rooms.Pass(Seconds{1});
  EXPECT_EQ(rooms.ServingOf("main").entered, 2U);
  rooms.Leave("main", "b");
  EXPECT_EQ(rooms.Status("main", "c"), PlaceStatus::kEntered);
  EXPECT_EQ(rooms.Status("main", "d"), PlaceStatus::kWaiting);
  EXPECT_EQ(rooms.ServingOf("main").entered, 2U);
}

TEST_P(WaitingRoomContract, AnAbsentWaiterDoesNotBlockTheHead) {
  Rooms rooms(GetParam());
  rooms.Set("main", {.capacity = 1});
  for (const char* user : {"a", "b", "c"}) rooms.Join("main", user);
  for (int second = 0; second < 10; ++second) {
    rooms.Pass(Seconds{1});
    EXPECT_TRUE(rooms.Poll("main", "c").ok());
  }
  rooms.Leave("main", "a");
  EXPECT_EQ(rooms.Status("main", "c"), PlaceStatus::kEntered);
  EXPECT_EQ(rooms.Poll("main", "b")->standing.rank, 0U);
  rooms.Leave("main", "c");
  EXPECT_EQ(rooms.Status("main", "b"), PlaceStatus::kEntered);
}

TEST_P(WaitingRoomContract, APlaceWithoutPollsEndsAfterTheGrace) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 0, .grace = Seconds{120}});
  rooms.Join("7", "ann");
  rooms.Pass(Millis{119'999});
  EXPECT_EQ(rooms.ServingOf("7").waiting, 1U);
  rooms.Pass(Millis{1});
  EXPECT_EQ(rooms.ServingOf("7").waiting, 0U);
  EXPECT_EQ(rooms.Join("7", "ann").standing.number, 2U);
}

TEST_P(WaitingRoomContract, EverythingAcknowledgedSurvivesARestart) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.capacity = 1, .notice = std::string("hello")});
  for (const char* user : {"ann", "bob", "cat", "dan"}) rooms.Join("7", user);
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  rooms.Leave("7", "dan");
  rooms.Restart();
  EXPECT_EQ(rooms.ServingOf("7"), (Serving{1, 2, 1, 1, RoomState::kOpen}));
  EXPECT_EQ(rooms.Status("7", "ann"), PlaceStatus::kEntered);
  EXPECT_EQ(rooms.Poll("7", "cat")->standing.rank, 1U);
  EXPECT_EQ(*rooms.Poll("7", "cat")->notice, "hello");
  EXPECT_EQ(rooms.Join("7", "dan").standing.number, 5U) << "numbers are never reused";
  EXPECT_EQ(rooms.Enter("7", "bob").error(), Refusal::kNotYourTurn);
}

TEST_P(WaitingRoomContract, ADrawSurvivesARestart) {
  Rooms rooms(GetParam());
  rooms.Set("7", {.state = RoomState::kClosed});
  rooms.Set("7", {.capacity = 0, .state = RoomState::kPreQueue});
  const auto commitment = RunTask(rooms.store().Read("7", rooms.now))->draws.back().commitment;
  for (int fan = 0; fan < 50; ++fan) EXPECT_FALSE(rooms.Join("7", "fan" + std::to_string(fan)).standing.rank);
  rooms.Restart();
  EXPECT_FALSE(rooms.Poll("7", "fan3")->standing.rank);
  rooms.Set("7", {.state = RoomState::kOpen});
  std::vector<std::uint32_t> ranks;
  for (int fan = 0; fan < 50; ++fan)
    ranks.push_back(*rooms.Poll("7", "fan" + std::to_string(fan))->standing.rank);
  rooms.Restart();
  const auto draw = RunTask(rooms.store().Read("7", rooms.now))->draws.back();
  EXPECT_EQ(draw.commitment, commitment);
  EXPECT_EQ(Commitment(draw.seed), commitment);
  const Shuffle shuffle(draw.seed, draw.count);
  for (int fan = 0; fan < 50; ++fan) {
    const auto rank = *rooms.Poll("7", "fan" + std::to_string(fan))->standing.rank;
    EXPECT_EQ(rank, ranks[static_cast<std::size_t>(fan)]);
    EXPECT_EQ(rank, shuffle.PositionOf(static_cast<std::uint32_t>(fan)));
  }
}

TEST_P(WaitingRoomContract, FollowedPlanSetsWhatItsConcertNamedOnce) {
  Rooms rooms(GetParam());
  const auto follow = [&](std::int64_t version, NamedPreQueue named) {
    RoomPatch patch;
    patch.follow = SalePlan{.version = version, .opens_at = rooms.now + Seconds{7200}, .pre_queue = named};
    rooms.Set("7", patch);
  };
  const auto settings = [&] { return RunTask(rooms.store().Read("7", rooms.now))->settings; };
  const NamedPreQueue first{{PreQueueOrder::kArrival, 1}, {rooms.now + Seconds{60}, 1}};
  follow(2, first);
  EXPECT_EQ(settings().order, PreQueueOrder::kArrival) << "named before, and not followed yet";
  EXPECT_EQ(settings().pre_queue_at, rooms.now + Seconds{60});
  RoomPatch by_operator;
  by_operator.order = PreQueueOrder::kDraw;
  rooms.Set("7", by_operator);
  rooms.Restart();
  follow(3, first);
  EXPECT_EQ(settings().order, PreQueueOrder::kDraw) << "the operator's change is newer";
  follow(4, {{PreQueueOrder::kArrival, 4}, first.at});
  EXPECT_EQ(settings().order, PreQueueOrder::kArrival) << "named again";
  follow(3, {{PreQueueOrder::kDraw, 3}, first.at});
  EXPECT_EQ(settings().order, PreQueueOrder::kArrival) << "a stale plan changes nothing";
}

TEST_P(WaitingRoomContract, AnOperatorEndsASlot) {
  Rooms rooms(GetParam());
  rooms.Join("7", "ann");
  EXPECT_TRUE(rooms.Enter("7", "ann").ok());
  const RevokeRequest ann{"7", "ann", "user x", "tester"};
  EXPECT_TRUE(RunTask(rooms.store().Revoke(ann, rooms.now)).ok());
  EXPECT_FALSE(rooms.IsInside("7", "ann"));
  EXPECT_EQ(RunTask(rooms.store().Revoke(ann, rooms.now)).error(), Refusal::kNotQueued);
}

TEST_P(WaitingRoomContract, AnotherUsersNumberIsRefused) {
  Rooms rooms(GetParam());
  const auto joined = rooms.Join("7", "ann");
  const auto number = joined.standing.number;
  const auto poll = [&](const char* user, std::uint32_t epoch) {
    return RunTask(rooms.store().Poll({"7", user, number, epoch}, rooms.now));
  };
  EXPECT_TRUE(poll("ann", joined.epoch).ok());
  EXPECT_EQ(poll("bob", joined.epoch).error(), Refusal::kNotQueued);
  // The synchronous path gives the same answer.
  const auto at_once = rooms.store().PollAtOnce({"7", "bob", number, joined.epoch}, rooms.now);
  EXPECT_TRUE(!at_once || at_once->error() == Refusal::kNotQueued);
}

}  // namespace
}  // namespace maejin
