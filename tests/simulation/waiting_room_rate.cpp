// A crowd at a room with a rate, on a virtual clock, with the entries written down: they come evenly, never in a burst,
// never faster than the rate, with and without a capacity; and where enough people wait, not slower either. The
// checker knows nothing of allowances, only when somebody entered.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "domain/waiting_room/waiting_room.h"

namespace maejin::simulation {
namespace {

using Ms = std::int64_t;
constexpr Ms kStart = 1'794'736'800'000;
constexpr Ms kMinute = 60'000;

struct Plan {
  std::uint64_t seed = 1;
  Admission admission = Admission::kPush;
  std::uint32_t rate = 60;
  std::uint32_t capacity = 1'000'000;
  // What the room is really told: a planted fault.
  std::function<void(WaitingRoom&, Time)> sabotage = [](WaitingRoom&, Time) {};
  std::uint32_t rate_told = 0;  // 0: the rate
};

struct History {
  std::vector<Ms> entries;  // when somebody entered
  // Since when, without a break, somebody was waiting when that entry happened.
  std::vector<Ms> busy_since;
  Ms ended = 0;
  std::uint32_t most_inside = 0;
};

// Fans come in waves, with lulls between them; everybody polls every second, and enters, where that is the fan's to do,
// between none and three polls after hearing of the turn. Who is inside leaves after a while.
class Crowd {
 public:
  explicit Crowd(const Plan& plan)
      : plan_(plan), random_(plan.seed), room_(SettingsOf(plan), RoomState::kOpen, secret_) {}

  History Run(Ms duration) {
    for (now_ = kStart; now_ < kStart + duration; now_ += 100) {
      plan_.sabotage(room_, At());
      if ((now_ - kStart) % 300'000 < 100'000 && Pick(4) == 0) Join();
      for (std::size_t fan = 0; fan < fans_.size(); ++fan) Act(fans_[fan]);
      std::erase_if(fans_, [](const Fan& fan) { return fan.gone; });
      room_.Advance(At());
      Note();
    }
    history_.ended = now_;
    return history_;
  }

 private:
  struct Fan {
    UserKey key;
    PlaceNumber number = 0;
    Ms next = 0;
    int hesitates = 0;
    Ms leaves = 0;
    bool gone = false;
  };

  static RoomSettings SettingsOf(const Plan& plan) {
    RoomSettings settings;
    settings.admission = plan.admission;
    settings.capacity = plan.capacity;
    settings.rate_per_minute = plan.rate_told != 0 ? plan.rate_told : plan.rate;
    return settings;
  }
  Time At() const { return TimeFromMillis(now_); }
  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void Join() {
    const UserKey key{random_(), random_()};
    const auto joined = room_.Join(key, At());
    fans_.push_back({key, joined->standing.number, now_ + 1000, Pick(4)});
  }

  void Act(Fan& fan) {
    if (now_ < fan.next) return;
    fan.next = now_ + 1000;
    const auto standing = room_.Poll(fan.number, fan.key, At());
    if (!standing.ok()) {
      fan.gone = true;
    } else if (standing->status == PlaceStatus::kEntered) {
      if (fan.leaves == 0) fan.leaves = now_ + 5000 + Pick(20'000);
      fan.gone = now_ >= fan.leaves && room_.End(fan.number, fan.key, Ending::kLeft, At());
    } else if (standing->status == PlaceStatus::kReady && fan.hesitates-- <= 0) {
      (void)room_.Enter(fan.number, fan.key, At());
    }
  }

  void Note() {
    for (const auto& change : room_.changes()) {
      if (change.kind != RoomChange::Kind::kEntered) continue;
      history_.entries.push_back(ToMillis(change.at));
      history_.busy_since.push_back(busy_since_);
    }
    room_.changes().clear();
    history_.most_inside = std::max(history_.most_inside, room_.entered());
    if (room_.Summary().waiting == 0) busy_since_ = now_;
  }

  Plan plan_;
  std::mt19937_64 random_;
  SeededRandom secret_{1};
  WaitingRoom room_;
  std::vector<Fan> fans_;
  History history_;
  Ms now_ = kStart;
  Ms busy_since_ = kStart;
};

// "" where it is as it should be.
//
// Evenly: between two entries lies at least a rate's interval. Where fans take time to come when they are told, what they
// were slow by may follow faster, by a turn's worth at most, and nothing that was saved while nobody waited.
std::string Fault(const Plan& plan, const History& history, Ms turn) {
  const auto rate = static_cast<Ms>(plan.rate);
  const auto cost = [&](std::size_t first, std::size_t last) {
    return static_cast<Ms>(last - first) * kMinute;
  };
  const auto& at = history.entries;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (plan.admission == Admission::kPush) {
      if (i > 0 && (at[i] - at[i - 1]) * rate < kMinute)
        return "a burst at " + std::to_string(at[i] - kStart);
      continue;
    }
    for (std::size_t before = i > 200 ? i - 200 : 0; before < i; ++before) {
      if (cost(before, i) > (at[i] - at[before]) * rate + std::max(kMinute, turn * rate))
        return "above the rate";
    }
    // The first entry since somebody waits again, and the number of those that followed.
    const auto first =
        static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), history.busy_since[i]) - at.begin());
    if (cost(first, i) > (at[i] - history.busy_since[i]) * rate) return "a burst after a lull";
  }
  if (history.most_inside > plan.capacity) return "more inside than the capacity";
  return "";
}

std::string FirstFault(Plan plan, std::size_t least_entries) {
  for (plan.seed = 1; plan.seed <= 10; ++plan.seed) {
    const auto history = Crowd(plan).Run(20 * kMinute);
    EXPECT_GE(history.entries.size(), least_entries) << "hardly anybody entered: nothing was tested";
    const auto fault = Fault(plan, history, Millis{RoomSettings{}.turn}.count());
    if (!fault.empty()) return "seed " + std::to_string(plan.seed) + ": " + fault;
  }
  return "";
}

TEST(WaitingRoomRate, PushedEntriesComeEvenly) {
  for (const std::uint32_t rate : {7U, 30U, 97U}) {
    EXPECT_EQ(FirstFault({.admission = Admission::kPush, .rate = rate}, 50), "") << rate;
  }
}

TEST(WaitingRoomRate, ClaimedEntriesMeetTheRateAndNeverBurstAfterALull) {
  for (const std::uint32_t rate : {7U, 30U, 97U}) {
    EXPECT_EQ(FirstFault({.admission = Admission::kClaim, .rate = rate}, 50), "") << rate;
  }
}

TEST(WaitingRoomRate, ACapacityHoldsTogetherWithTheRate) {
  for (const auto admission : {Admission::kPush, Admission::kClaim}) {
    EXPECT_EQ(FirstFault({.admission = admission, .rate = 40, .capacity = 5}, 50), "") << Name(admission);
  }
}

TEST(WaitingRoomRate, WhereEnoughPeopleWaitItIsNotSlowerEither) {
  const Plan plan{.admission = Admission::kPush, .rate = 20};
  const auto history = Crowd(plan).Run(20 * kMinute);
  // 250 come in every wave of five minutes, and 100 enter: from the first entry on somebody always waits.
  const auto expected = (history.entries.back() - history.entries.front()) * 20 / kMinute + 1;
  EXPECT_GE(static_cast<Ms>(history.entries.size()), expected * 99 / 100);
  EXPECT_GE(history.entries.size(), 380U);
}

// The controls.

TEST(WaitingRoomRate, ARateThatIsTooHighIsCaught) {
  for (const auto admission : {Admission::kPush, Admission::kClaim}) {
    EXPECT_NE(FirstFault({.admission = admission, .rate = 30, .rate_told = 36}, 50), "") << Name(admission);
  }
}

TEST(WaitingRoomRate, ARateThatIsForgottenForAMomentIsCaught) {
  const auto forget = [](WaitingRoom& room, Time now) {
    if (ToMillis(now) % 90'000 != 0) return;
    (void)room.Configure({.rate_per_minute = std::optional<std::uint32_t>{}}, now);
    (void)room.Configure({.rate_per_minute = std::optional<std::uint32_t>{30}}, now);
  };
  EXPECT_NE(FirstFault({.admission = Admission::kPush, .rate = 30, .sabotage = forget}, 50), "");
}

TEST(WaitingRoomRate, ACapacityThatIsExceededIsCaught) {
  const auto raise = [](WaitingRoom& room, Time now) { (void)room.Configure({.capacity = 6}, now); };
  EXPECT_NE(FirstFault({.admission = Admission::kPush, .rate = 400, .capacity = 5, .sabotage = raise}, 50),
            "");
}

}  // namespace
}  // namespace maejin::simulation
