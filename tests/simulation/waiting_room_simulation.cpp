// Random fans and operators drive the room and the model on a virtual clock. Both must give the same answers,
// and the invariants I3, I4 and I10 hold after each step. Controls plant faults.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "domain/waiting_room/waiting_room.h"
#include "tests/simulation/waiting_room_model.h"

namespace maejin::simulation {
namespace {

constexpr Ms kStart = 1'794'736'800'000;
constexpr int kUsers = 24;

UserKey KeyOf(int user) { return {static_cast<std::uint64_t>(user) * 0x9e3779b97f4a7c15U, 1}; }

// The room under test. A control overrides one function with a fault.
class Subject {
 public:
  virtual ~Subject() = default;
  Subject() : room_(RoomSettings{}, RoomState::kOpen, random_) {}

  virtual PlaceNumber NumberOf(int user) { return room_.Find(KeyOf(user)); }
  virtual Outcome<Standing> Join(int user, Time now) {
    auto joined = room_.Join(KeyOf(user), now);
    if (!joined.ok()) return joined.error();
    return joined->standing;
  }
  virtual Outcome<Standing> Poll(int user, Time now) { return room_.Poll(NumberOf(user), KeyOf(user), now); }
  virtual Outcome<Done> Enter(int user, Time now) { return room_.Enter(NumberOf(user), KeyOf(user), now); }
  virtual void Leave(int user, Time now) { room_.End(NumberOf(user), KeyOf(user), Ending::kLeft, now); }
  virtual RoomPatch Patch(RoomPatch patch) { return patch; }
  virtual Outcome<Standing> Look(int user, Time now) { return room_.Look(NumberOf(user), KeyOf(user), now); }
  void Configure(const RoomPatch& patch, Time now) { ASSERT_TRUE(room_.Configure(Patch(patch), now).ok()); }
  WaitingRoom& room() { return room_; }

 protected:
  SeededRandom random_{1};
  WaitingRoom room_;
};

class OneTooMany : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    if (patch.capacity) ++*patch.capacity;
    return patch;
  }
};
class SlotsNeverEnd : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    patch.token_ttl = Seconds{100'000'000};
    patch.session_limit = Seconds{100'000'000};
    return patch;
  }
};
class PlacesNeverEnd : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    patch.grace = Seconds{100'000'000};
    return patch;
  }
};
class SlotsLastASecondLonger : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    if (patch.token_ttl) *patch.token_ttl += Seconds{1};
    return patch;
  }
};
class TurnsNeverPass : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    patch.turn = Seconds{100'000'000};
    return patch;
  }
};
class RepeatedJoinMovesToTheEnd : public Subject {
  Outcome<Standing> Join(int user, Time now) override {
    Leave(user, now);
    return Subject::Join(user, now);
  }
};
class AnyPollRenewsAllPresence : public Subject {
  Outcome<Standing> Poll(int user, Time now) override {
    room_.ResetPresence(now);
    return Subject::Poll(user, now);
  }
};
// Reverses the order of the line.
class ReversedLine : public Subject {
  int Mirror(int user) {
    std::map<PlaceNumber, int> waiting;
    for (int other = 0; other < kUsers; ++other) {
      const auto number = room_.Find(KeyOf(other));
      if (number != 0 && room_.Look(number, KeyOf(other), last_)->status != PlaceStatus::kEntered) {
        waiting[number] = other;
      }
    }
    int before = 0;
    for (const auto& [number, other] : waiting) {
      if (other == user) return std::next(waiting.rbegin(), before)->second;
      ++before;
    }
    return user;
  }
  Outcome<Done> Enter(int user, Time now) override {
    last_ = now;
    return Subject::Enter(Mirror(user), now);
  }
  Time last_{};
};

class RateOneTooHigh : public Subject {
  RoomPatch Patch(RoomPatch patch) override {
    if (patch.rate_per_minute && *patch.rate_per_minute) ++**patch.rate_per_minute;
    return patch;
  }
};
Time At(Ms now) { return TimeFromMillis(now); }

// One run, which stops at the first difference and describes it.
class Run {
 public:
  // kSome: some configurations have a rate.
  enum class Rates { kNone, kSome };
  Run(std::uint64_t seed, Subject& subject, Rates rates) : random_(seed), subject_(subject), rates_(rates) {
    Reconfigure();
  }

  std::string Go(int steps) {
    for (step_ = 0; step_ < steps && fault_.empty(); ++step_) {
      Step();
      if (fault_.empty()) CheckAll();
    }
    return fault_;
  }

 private:
  void Fail(const std::string& what) {
    if (fault_.empty()) fault_ = "step " + std::to_string(step_) + ": " + what;
  }
  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void Step() {
    const int user = Pick(kUsers);
    const int what = Pick(100);
    if (what < 20) return Join(user);
    if (what < 55) return Poll(user);
    if (what < 70) return Enter(user);
    if (what < 75) return Leave(user);
    if (what < 77) return Reconfigure();
    // Mostly small steps, sometimes beyond every deadline.
    now_ += Pick(20) == 0 ? Pick(900'000) : Pick(3) == 0 ? Pick(70'000) : Pick(1500);
    subject_.room().Advance(At(now_));
    model_.Advance(now_);
  }

  // Finds the interval from poll_after, which is up to an eighth shorter, and stores it in the model.
  void StoreInterval(int user, const Standing& standing) {
    auto* fan = model_.Find(user);
    if (!fan || fan->inside) return;
    const auto poll_after = standing.poll_after.count();
    for (const Ms interval : {1000, 2000, 4000, 5000}) {
      if (poll_after > interval || poll_after < interval - interval / 8) continue;
      fan->interval = interval;
      return;
    }
    Fail("pollAfterMs " + std::to_string(poll_after));
  }

  void Compare(const std::string& expected, const Outcome<Standing>& actual, int user) {
    const auto code = actual.ok() ? std::string() : std::string(Code(actual.error().why));
    if (code != expected) return Fail("expected '" + expected + "', got '" + code + "'");
    if (actual.ok()) StoreInterval(user, *actual);
  }
  void Join(int user) {
    const bool alone = model_.Find(user) == nullptr;
    const auto expected = model_.Join(user, now_);
    Compare(expected, subject_.Join(user, At(now_)), user);
    if (alone && expected.empty()) ranks_.erase(user);
  }
  void Poll(int user) {
    const auto expected = model_.Poll(user, now_);
    Compare(expected, subject_.Poll(user, At(now_)), user);
  }
  void Enter(int user) {
    const auto expected = model_.Enter(user, now_);
    const auto actual = subject_.Enter(user, At(now_));
    const auto code = actual.ok() ? std::string() : std::string(Code(actual.error().why));
    if (code != expected) Fail("enter: expected '" + expected + "', got '" + code + "'");
  }
  void Leave(int user) {
    model_.Leave(user, now_);
    subject_.Leave(user, At(now_));
  }

  void Reconfigure() {
    ModelSettings wanted = model_.settings;
    wanted.capacity = Pick(8);
    wanted.push = Pick(2) == 0;
    wanted.ttl = 1000 * (5 + Pick(300));
    wanted.session = 1000 * (60 + Pick(1800));
    wanted.turn = 1000 * (2 + Pick(60));
    wanted.grace = 1000 * (5 + Pick(600));
    wanted.rate.reset();
    if (rates_ == Rates::kSome && Pick(8) != 0) wanted.rate = 1 + Pick(Pick(2) == 0 ? 20 : 600);
    RoomPatch patch;
    using State = ModelSettings::State;
    const auto next = Pick(6);
    if (next == 0 && wanted.state == State::kOpen) {
      wanted.state = State::kPaused;
      patch.state = RoomState::kPaused;
    } else if (next == 1) {
      wanted.state = State::kClosed;
      patch.state = RoomState::kClosed;
    } else {
      wanted.state = State::kOpen;
      patch.state = RoomState::kOpen;
    }
    patch.capacity = static_cast<std::uint32_t>(wanted.capacity);
    patch.admission = wanted.push ? Admission::kPush : Admission::kClaim;
    patch.rate_per_minute = std::optional<std::uint32_t>{};
    if (wanted.rate) patch.rate_per_minute = static_cast<std::uint32_t>(*wanted.rate);
    patch.token_ttl = Seconds{wanted.ttl / 1000};
    patch.session_limit = Seconds{wanted.session / 1000};
    patch.turn = Seconds{wanted.turn / 1000};
    patch.grace = Seconds{wanted.grace / 1000};
    before_ = model_.Inside();
    model_.Configure(wanted, now_);
    subject_.Configure(patch, At(now_));
    before_ = std::max(before_, model_.Inside());
  }

  void CheckAll() {
    std::int64_t inside = 0;
    for (int user = 0; user < kUsers; ++user) {
      const auto* fan = model_.Find(user);
      const auto actual = subject_.Look(user, At(now_));
      if (actual.ok() != (fan != nullptr))
        return Fail("fan " + std::to_string(user) + " lives in only one of room and model");
      if (!fan) continue;
      inside += actual->status == PlaceStatus::kEntered ? 1 : 0;
      if (Name(actual->status) != model_.Status(*fan, now_)) {
        return Fail("fan " + std::to_string(user) + " is " + std::string(Name(actual->status)));
      }
      if (actual->rank != model_.Rank(*fan)) return Fail("fan " + std::to_string(user) + " has another rank");
      if (actual->number != fan->number) return Fail("fan " + std::to_string(user) + " has another number");
      CheckPosition(user, *actual->rank);
    }
    // I3: more slots than the capacity only after it was lowered, and then no admission.
    if (inside > std::max(model_.settings.capacity, before_)) return Fail("too many inside");
    before_ = inside;
    if (inside != subject_.room().Summary().entered) return Fail("the count of slots drifted");
  }

  // I10.
  void CheckPosition(int user, std::uint32_t rank) {
    const auto [known, fresh] = ranks_.try_emplace(user, rank);
    if (!fresh && rank > known->second) return Fail("the position of fan " + std::to_string(user) + " rose");
    known->second = rank;
  }

  std::mt19937_64 random_;
  Subject& subject_;
  Rates rates_;
  WaitingRoomModel model_;
  Ms now_ = kStart;
  int step_ = 0;
  std::int64_t before_ = 0;
  std::map<int, std::uint32_t> ranks_;
  std::string fault_;
};

template <class Planted>
std::string RunOne(std::uint64_t seed, int steps, Run::Rates rates = Run::Rates::kNone) {
  Planted subject;
  return Run(seed, subject, rates).Go(steps);
}

// The first seed that detects a planted fault, or "never".
template <class Planted>
std::string FirstFault(Run::Rates rates = Run::Rates::kNone) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto fault = RunOne<Planted>(seed, 4000, rates);
    if (!fault.empty()) return fault;
  }
  return "never";
}

TEST(WaitingRoomSimulation, RoomAgreesWithTheModel) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    ASSERT_EQ(RunOne<Subject>(seed, 4000), "") << "seed " << seed;
  }
}

TEST(WaitingRoomSimulation, RoomAgreesWithTheModelUnderARate) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    ASSERT_EQ(RunOne<Subject>(seed, 4000, Run::Rates::kSome), "") << "seed " << seed;
  }
}

TEST(WaitingRoomSimulation, ControlRateOneTooHighIsDetected) {
  EXPECT_NE(FirstFault<RateOneTooHigh>(Run::Rates::kSome), "never");
}
TEST(WaitingRoomSimulation, ControlOneSlotTooManyIsDetected) { EXPECT_NE(FirstFault<OneTooMany>(), "never"); }
TEST(WaitingRoomSimulation, ControlMissedExpiryIsDetected) {
  EXPECT_NE(FirstFault<SlotsNeverEnd>(), "never");
}
TEST(WaitingRoomSimulation, ControlAbandonedPlaceThatStaysIsDetected) {
  EXPECT_NE(FirstFault<PlacesNeverEnd>(), "never");
}
TEST(WaitingRoomSimulation, ControlSlotOneSecondTooLongIsDetected) {
  EXPECT_NE(FirstFault<SlotsLastASecondLonger>(), "never");
}
TEST(WaitingRoomSimulation, ControlReversedOrderIsDetected) {
  EXPECT_NE(FirstFault<ReversedLine>(), "never");
}
TEST(WaitingRoomSimulation, ControlTurnThatNeverPassesIsDetected) {
  EXPECT_NE(FirstFault<TurnsNeverPass>(), "never");
}
TEST(WaitingRoomSimulation, ControlLostPlaceIsDetected) {
  EXPECT_NE(FirstFault<RepeatedJoinMovesToTheEnd>(), "never");
}
TEST(WaitingRoomSimulation, ControlPresenceOfAnotherFanIsDetected) {
  EXPECT_NE(FirstFault<AnyPollRenewsAllPresence>(), "never");
}

}  // namespace
}  // namespace maejin::simulation
