#include "domain/waiting_room/waiting_room.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kStart = TimeFromMillis(1'794'736'800'000);

class WaitingRoomTest : public testing::Test {
 protected:
  void Open(Admission admission, std::uint32_t capacity) {
    RoomSettings settings;
    settings.admission = admission;
    settings.capacity = capacity;
    room_.emplace(settings, RoomState::kOpen, random_);
  }
  void Set(RoomPatch patch) { ASSERT_TRUE(room_->Configure(patch, now_).ok()); }
  static UserKey User(std::uint64_t n) { return {n, n + 1}; }
  WaitingRoom::Joined Join(std::uint64_t user) { return *room_->Join(User(user), now_); }
  Standing Poll(std::uint64_t user) { return *room_->Poll(room_->Find(User(user)), User(user), now_); }
  bool IsGone(std::uint64_t user) {
    room_->Advance(now_);
    return room_->Find(User(user)) == 0;
  }
  Outcome<Done> Enter(std::uint64_t user) { return room_->Enter(room_->Find(User(user)), User(user), now_); }
  bool Leave(std::uint64_t user) {
    return room_->End(room_->Find(User(user)), User(user), Ending::kLeft, now_);
  }
  // Advances the time while these fans poll once a second.
  void PassWhilePolling(Seconds time, std::initializer_list<std::uint64_t> users) {
    for (Seconds passed{0}; passed < time; ++passed) {
      now_ += Seconds{1};
      for (const auto user : users) {
        const auto number = room_->Find(User(user));
        if (number != 0) (void)room_->Poll(number, User(user), now_);
      }
    }
  }

  SeededRandom random_{1};
  std::optional<WaitingRoom> room_;
  Time now_ = kStart;
};

TEST_F(WaitingRoomTest, NumbersGrowByOneAndJoiningAgainKeepsThePlace) {
  Open(Admission::kClaim, 0);
  EXPECT_EQ(Join(1).standing.number, 1U);
  EXPECT_EQ(Join(2).standing.number, 2U);
  const auto again = Join(1);
  EXPECT_FALSE(again.first);
  EXPECT_EQ(again.standing.number, 1U);
  EXPECT_EQ(Poll(2).rank, 1U);
}

TEST_F(WaitingRoomTest, OnlyAReadyPlaceEnters) {
  Open(Admission::kClaim, 1);
  Join(1);
  Join(2);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting);
  EXPECT_EQ(Enter(2).error(), Refusal::kNotYourTurn);
  EXPECT_TRUE(Enter(1).ok());
  EXPECT_TRUE(Enter(1).ok());
  EXPECT_EQ(room_->Summary().entered, 1U);
  EXPECT_EQ(Poll(2).rank, 0U);
  EXPECT_EQ(Enter(2).error(), Refusal::kNotYourTurn);
  Leave(1);
  EXPECT_TRUE(Enter(2).ok());
}

TEST_F(WaitingRoomTest, JoinIsAdmittedAtOnceOnlyIfNoPlaceWaits) {
  Open(Admission::kPush, 2);
  EXPECT_EQ(Join(1).standing.status, PlaceStatus::kEntered);
  EXPECT_EQ(Join(2).standing.status, PlaceStatus::kEntered);
  EXPECT_EQ(Join(3).standing.status, PlaceStatus::kWaiting);
  Leave(1);
  EXPECT_EQ(Poll(3).status, PlaceStatus::kEntered);
  EXPECT_EQ(Join(4).standing.status, PlaceStatus::kWaiting);
  EXPECT_EQ(room_->Summary().entered, 2U);
}

TEST_F(WaitingRoomTest, ASlotEndsWithoutPollsAndAtTheLatestAtTheSessionLimit) {
  Open(Admission::kPush, 1);
  Join(1);
  PassWhilePolling(Seconds{400}, {1});
  EXPECT_FALSE(IsGone(1));
  now_ += Seconds{299};
  EXPECT_FALSE(IsGone(1));
  now_ += Seconds{1};
  EXPECT_TRUE(IsGone(1));
  EXPECT_EQ(room_->Summary().entered, 0U);
  Join(2);
  PassWhilePolling(Seconds{1800}, {2});
  EXPECT_TRUE(IsGone(2));
}

TEST_F(WaitingRoomTest, AbsentWaiterIsNotAdmittedAndKeepsItsPlace) {
  Open(Admission::kClaim, 1);
  Join(1);
  Join(2);
  EXPECT_TRUE(Enter(1).ok());
  Join(3);
  PassWhilePolling(Seconds{10}, {1, 3});
  Leave(1);
  const auto third = Poll(3);
  EXPECT_EQ(third.status, PlaceStatus::kReady);
  EXPECT_EQ(third.rank, 1U) << "an absent place counts in the rank";
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting) << "the slot is kept for the place that was told";
  EXPECT_EQ(Poll(3).status, PlaceStatus::kReady) << "ready is not taken back";
  PassWhilePolling(Seconds{60}, {2, 3});
  EXPECT_EQ(Poll(2).status, PlaceStatus::kReady) << "its turn passed, and the returned place is next";
}

TEST_F(WaitingRoomTest, ReadyPlaceMayEnterAPausedRoom) {
  Open(Admission::kClaim, 1);
  Join(1);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  Set({.state = RoomState::kPaused});
  Join(2);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting);
  Leave(1);
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting) << "no new place is made ready";
  Set({.state = RoomState::kOpen});
  EXPECT_EQ(Poll(2).status, PlaceStatus::kReady);
  Set({.state = RoomState::kPaused});
  EXPECT_TRUE(Enter(2).ok());
}

TEST_F(WaitingRoomTest, TurnsEndWithTheLastSeatAndComeBackWithIt) {
  Open(Admission::kClaim, 2);
  Join(1);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  room_->SetSeats(false, now_);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kWaiting);
  EXPECT_EQ(Enter(1).error(), Refusal::kSoldOut);
  room_->SetSeats(true, now_);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  EXPECT_TRUE(Enter(1).ok());
}

TEST_F(WaitingRoomTest, LoweredCapacityIsNotExceededByTurns) {
  Open(Admission::kClaim, 2);
  Join(1);
  Join(2);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  EXPECT_EQ(Poll(2).status, PlaceStatus::kReady);
  Set({.capacity = 1});
  EXPECT_EQ(Enter(2).error(), Refusal::kNotYourTurn);
  EXPECT_TRUE(Enter(1).ok());
  EXPECT_EQ(Enter(2).error(), Refusal::kNotYourTurn);
}

TEST_F(WaitingRoomTest, APlaceEndsAfterTheGraceWithoutAPoll) {
  Open(Admission::kClaim, 0);
  Join(1);
  now_ += Millis{599'999};
  EXPECT_FALSE(IsGone(1));
  now_ += Millis{1};
  EXPECT_TRUE(IsGone(1));
  EXPECT_EQ(Join(1).standing.number, 2U);
}

TEST_F(WaitingRoomTest, UnusedTurnPassesToTheNextPlace) {
  Open(Admission::kClaim, 1);
  Join(1);
  Join(2);
  EXPECT_EQ(Poll(1).status, PlaceStatus::kReady);
  PassWhilePolling(Seconds{59}, {1, 2});
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting);
  PassWhilePolling(Seconds{1}, {1, 2});
  EXPECT_EQ(Poll(2).status, PlaceStatus::kReady);
  EXPECT_TRUE(Enter(2).ok());
  EXPECT_EQ(Enter(1).error(), Refusal::kNotYourTurn);
  Join(3);
  Leave(2);
  EXPECT_EQ(Poll(3).status, PlaceStatus::kWaiting) << "a place that called enter is eligible again";
  EXPECT_TRUE(Enter(1).ok());
}

TEST_F(WaitingRoomTest, LoweredCapacityEvictsNoSlotAndStopsAdmission) {
  Open(Admission::kPush, 3);
  for (std::uint64_t user = 1; user <= 4; ++user) Join(user);
  Set({.capacity = 1});
  EXPECT_EQ(room_->Summary().entered, 3U);
  Leave(1);
  Leave(2);
  EXPECT_EQ(Poll(4).status, PlaceStatus::kWaiting);
  Leave(3);
  EXPECT_EQ(Poll(4).status, PlaceStatus::kEntered);
}

TEST_F(WaitingRoomTest, ARateSpreadsEntriesEvenly) {
  Open(Admission::kPush, 1000);
  Set({.rate_per_minute = std::optional<std::uint32_t>(60)});
  for (std::uint64_t user = 1; user <= 100; ++user) Join(user);
  EXPECT_EQ(room_->Summary().entered, 1U) << "no burst";
  for (int second = 1; second <= 30; ++second) {
    for (std::uint64_t user = 1; user <= 100; ++user)
      (void)room_->Poll(room_->Find(User(user)), User(user), now_);
    now_ += Seconds{1};
    room_->Advance(now_);
    EXPECT_EQ(room_->Summary().entered, 1U + static_cast<unsigned>(second));
  }
}

TEST_F(WaitingRoomTest, ALullIsNotFollowedByABurst) {
  Open(Admission::kClaim, 1000);
  Set({.rate_per_minute = std::optional<std::uint32_t>(60)});
  now_ += Seconds{3600};
  for (std::uint64_t user = 1; user <= 10; ++user) Join(user);
  int entered = 0;
  for (std::uint64_t user = 1; user <= 10; ++user) entered += Enter(user).ok() ? 1 : 0;
  EXPECT_EQ(entered, 1);
}

TEST_F(WaitingRoomTest, NoRateCreditAccruesWithoutAnEligiblePlace) {
  Open(Admission::kClaim, 1000);
  Set({.rate_per_minute = std::optional<std::uint32_t>(60)});
  Join(1);
  PassWhilePolling(Seconds{600}, {1});  // the fan becomes ready, and its turn passes unused
  EXPECT_TRUE(Enter(1).ok());
  for (std::uint64_t user = 2; user <= 20; ++user) {
    Join(user);
    EXPECT_EQ(Enter(user).error(), Refusal::kNotYourTurn);
  }
}

TEST_F(WaitingRoomTest, NoShowUnderARateAllowsOneMoreEntry) {
  Open(Admission::kPush, 1000);
  Set({.rate_per_minute = std::optional<std::uint32_t>(60), .token_ttl = Seconds{5}});
  for (std::uint64_t user = 1; user <= 30; ++user) Join(user);
  // Fans 2 and 3 are admitted after one and two seconds, and never poll.
  for (int second = 1; second <= 10; ++second) {
    now_ += Seconds{1};
    room_->Advance(now_);
    for (std::uint64_t user = 4; user <= 30; ++user)
      (void)room_->Poll(room_->Find(User(user)), User(user), now_);
  }
  std::size_t entries = 0;
  for (const auto& change : room_->changes()) entries += change.kind == RoomChange::Kind::kEntered ? 1 : 0;
  EXPECT_EQ(entries, 1U + 10U + 2U);
}

TEST_F(WaitingRoomTest, PausedRoomAdmitsNoPlaceAndKeepsAll) {
  Open(Admission::kPush, 1);
  Join(1);
  Join(2);
  Set({.state = RoomState::kPaused});
  Leave(1);
  EXPECT_EQ(Poll(2).status, PlaceStatus::kWaiting);
  EXPECT_TRUE(Join(3).first);
  Set({.state = RoomState::kOpen});
  EXPECT_EQ(Poll(2).status, PlaceStatus::kEntered);
}

TEST_F(WaitingRoomTest, ClosedAndScheduledRoomsRefuseJoins) {
  Open(Admission::kClaim, 5);
  Join(1);
  Set({.state = RoomState::kClosed});
  EXPECT_EQ(room_->Join(User(2), now_).error(), Refusal::kRoomClosed);
  EXPECT_EQ(Enter(1).error(), Refusal::kRoomClosed);
  EXPECT_FALSE(room_->Join(User(1), now_)->first);
  Set({.state = RoomState::kScheduled});
  EXPECT_EQ(room_->Join(User(2), now_).error(), Refusal::kNotOpen);
  EXPECT_EQ(room_->Configure({.state = RoomState::kPaused}, now_).error(), Refusal::kInvalidField);
}

TEST_F(WaitingRoomTest, DrainingRoomAdmitsWaitersAndRefusesJoins) {
  Open(Admission::kClaim, 5);
  Join(1);
  Set({.draining = true});
  EXPECT_EQ(room_->Join(User(2), now_).error(), Refusal::kRoomClosed);
  EXPECT_TRUE(Enter(1).ok());
}

TEST_F(WaitingRoomTest, PhasesChangeAtTheirTimes) {
  Open(Admission::kClaim, 5);
  Set({.state = RoomState::kClosed});
  Set({.pre_queue_at = std::optional(now_ + Seconds{10}),
       .opens_at = std::optional(now_ + Seconds{20}),
       .closes_at = std::optional(now_ + Seconds{30}),
       .state = RoomState::kScheduled});
  const auto state_at = [&](Seconds after) {
    room_->Advance(kStart + after);
    return room_->state();
  };
  EXPECT_EQ(state_at(Seconds{9}), RoomState::kScheduled);
  EXPECT_EQ(state_at(Seconds{10}), RoomState::kPreQueue);
  EXPECT_EQ(state_at(Seconds{20}), RoomState::kOpen);
  EXPECT_EQ(state_at(Seconds{30}), RoomState::kClosed);
}

TEST_F(WaitingRoomTest, RoomWhoseOpeningAndClosingHavePassedOpensFirst) {
  RoomSettings settings;
  settings.pre_queue_at = kStart;
  settings.opens_at = kStart + Seconds{1};
  settings.closes_at = kStart + Seconds{2};
  const auto later = kStart + Seconds{3};
  EXPECT_EQ(DuePhase(settings, RoomState::kScheduled, kStart), RoomState::kPreQueue);
  EXPECT_EQ(DuePhase(settings, RoomState::kScheduled, later), RoomState::kOpen);
  EXPECT_EQ(DuePhase(settings, RoomState::kPreQueue, later), RoomState::kOpen);
  EXPECT_EQ(DuePhase(settings, RoomState::kOpen, later), RoomState::kClosed);
  EXPECT_EQ(DuePhase(settings, RoomState::kPaused, later), RoomState::kClosed);
  EXPECT_EQ(DuePhase(settings, RoomState::kClosed, later), RoomState::kClosed);
}

TEST_F(WaitingRoomTest, PreQueueAfterOpenRoomKeepsEarlierWaitersAhead) {
  Open(Admission::kClaim, 0);
  Join(1);
  Join(2);
  Set({.opens_at = std::optional(now_ + Seconds{20}), .state = RoomState::kPreQueue});
  for (std::uint64_t user = 3; user <= 40; ++user) Join(user);
  EXPECT_EQ(Enter(1).error(), Refusal::kNotYourTurn);
  room_->Advance(now_ += Seconds{20});
  EXPECT_EQ(room_->state(), RoomState::kOpen);
  EXPECT_EQ(Poll(1).rank, 0U);
  EXPECT_EQ(Poll(2).rank, 1U);
}

TEST_F(WaitingRoomTest, PreQueuePlacesHaveNoRankUntilTheDraw) {
  Open(Admission::kClaim, 5);
  Set({.state = RoomState::kClosed});
  Set({.state = RoomState::kPreQueue});
  for (std::uint64_t user = 1; user <= 100; ++user) EXPECT_FALSE(Join(user).standing.rank);
  EXPECT_FALSE(room_->draws().back().drawn());
  Set({.state = RoomState::kOpen});
  Join(101);
  const auto& draw = room_->draws().back();
  EXPECT_EQ(draw.count, 100U);
  const Shuffle shuffle(draw.seed, draw.count);
  for (std::uint64_t user = 1; user <= 100; ++user) {
    EXPECT_EQ(Poll(user).rank, shuffle.PositionOf(static_cast<std::uint32_t>(user - 1)));
  }
  EXPECT_EQ(Poll(101).rank, 100U) << "a later join follows the draw";
  const auto first = shuffle.ArrivalAt(0) + 1;
  EXPECT_TRUE(Enter(first).ok());
  EXPECT_EQ(room_->serving(), first);
}

TEST_F(WaitingRoomTest, EtaIsAbsentUntilEnoughEntriesWereObserved) {
  Open(Admission::kClaim, 1);
  for (std::uint64_t user = 1; user <= 200; ++user) Join(user);
  EXPECT_FALSE(Poll(200).eta);
  for (std::uint64_t user = 1; user <= 100; ++user) {
    now_ += Seconds{1};
    for (std::uint64_t waiting = user; waiting <= 200; ++waiting) Poll(waiting);
    ASSERT_TRUE(Enter(user).ok());
    Leave(user);
  }
  const auto eta = Poll(200).eta;
  ASSERT_TRUE(eta);
  EXPECT_NEAR(static_cast<double>(eta->p50_seconds), 100, 5);
  EXPECT_GT(eta->p90_seconds, eta->p50_seconds);
  ASSERT_TRUE(Enter(101).ok());
  PassWhilePolling(Seconds{700}, {101, 200});
  EXPECT_FALSE(Poll(200).eta) << "no entry for ten minutes";
}

TEST_F(WaitingRoomTest, ResetPresenceCountsEveryPlaceAsSeen) {
  Open(Admission::kPush, 1);
  Join(1);
  Join(2);
  now_ += Seconds{3600};
  room_->ResetPresence(now_);
  EXPECT_TRUE(IsGone(1)) << "its session limit is over";
  EXPECT_EQ(Poll(2).status, PlaceStatus::kEntered);
}

TEST_F(WaitingRoomTest, SlotThatALoweredLimitEndsNamesTheEndOfItsPass) {
  Open(Admission::kPush, 2);
  Set({.session_limit = Seconds{200}});
  Join(1);
  const auto pass_ends_at = Poll(1).session_ends_at;
  now_ += Seconds{10};
  Join(2);
  room_->changes().clear();
  Set({.session_limit = Seconds{100}});
  EXPECT_EQ(room_->changes().at(0).earlier_session_limit, Seconds{200});
  Set({.session_limit = Seconds{150}});
  Set({.session_limit = Seconds{60}});
  room_->changes().clear();
  now_ = kStart + Seconds{60};
  EXPECT_TRUE(IsGone(1));
  EXPECT_TRUE(Leave(2));
  const auto& changes = room_->changes();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].session_ends_at, pass_ends_at);
  EXPECT_EQ(changes[1].session_ends_at, pass_ends_at + Seconds{10});
}

TEST_F(WaitingRoomTest, NumberOfAnotherUserIsRefused) {
  Open(Admission::kClaim, 1);
  Join(1);
  EXPECT_EQ(room_->Poll(1, User(2), now_).error(), Refusal::kNotQueued);
  EXPECT_EQ(room_->Enter(1, User(2), now_).error(), Refusal::kNotQueued);
  EXPECT_FALSE(room_->End(1, User(2), Ending::kLeft, now_));
}

}  // namespace
}  // namespace maejin
