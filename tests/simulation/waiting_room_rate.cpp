// A room with a rate on a virtual clock. Entries are evenly spaced, never above the rate, and not below it
// while enough fans wait, with and without a capacity. The checker reads only the times of entries.
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
  // Faults planted by controls.
  std::function<void(WaitingRoom&, Time)> sabotage = [](WaitingRoom&, Time) {};
  std::uint32_t configured_rate = 0;  // 0: the rate
};

struct History {
  std::vector<Ms> entries;  // times of entries
  // For each entry: since when the line was never empty.
  std::vector<Ms> busy_since;
  Ms ended = 0;
  std::uint32_t most_inside = 0;
};

// Fans join in waves with lulls between. Each polls every second, enters (in claim mode) up to three polls
// after its turn began, and leaves after a while.
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
      RecordEntries();
    }
    history_.ended = now_;
    return history_;
  }

 private:
  struct Fan {
    UserKey key;
    PlaceNumber number = 0;
    Ms next = 0;
    int delay_polls = 0;
    Ms leaves = 0;
    bool gone = false;
  };

  static RoomSettings SettingsOf(const Plan& plan) {
    RoomSettings settings;
    settings.admission = plan.admission;
    settings.capacity = plan.capacity;
    settings.rate_per_minute = plan.configured_rate != 0 ? plan.configured_rate : plan.rate;
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
    } else if (standing->status == PlaceStatus::kReady && fan.delay_polls-- <= 0) {
      (void)room_.Enter(fan.number, fan.key, At());
    }
  }

  void RecordEntries() {
    for (const auto& change : room_.changes()) {
      if (change.kind != RoomChange::Kind::kEntered) continue;
      history_.entries.push_back(ToMillis(change.at));
      history_.busy_since.push_back(busy_since_);
    }
    room_.changes().clear();
    history_.most_inside = std::max(history_.most_inside, room_.Summary().entered);
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

// Returns the first violation, or "".
//
// Push: at least the rate's interval lies between two entries. Claim: fans enter with a delay, so up to one
// turn's entries may follow faster; no credit accrues while no fan waits.
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
    // The first entry since the line is not empty, and the count of entries after it.
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
    EXPECT_GE(history.entries.size(), least_entries) << "too few entries: nothing was tested";
    const auto fault = Fault(plan, history, Millis{RoomSettings{}.turn}.count());
    if (!fault.empty()) return "seed " + std::to_string(plan.seed) + ": " + fault;
  }
  return "";
}

TEST(WaitingRoomRate, PushedEntriesAreEvenlySpaced) {
  for (const std::uint32_t rate : {7U, 30U, 97U}) {
    EXPECT_EQ(FirstFault({.admission = Admission::kPush, .rate = rate}, 50), "") << rate;
  }
}

TEST(WaitingRoomRate, ClaimedEntriesMeetTheRateAndNeverBurstAfterALull) {
  for (const std::uint32_t rate : {7U, 30U, 97U}) {
    EXPECT_EQ(FirstFault({.admission = Admission::kClaim, .rate = rate}, 50), "") << rate;
  }
}

TEST(WaitingRoomRate, CapacityAndRateHoldTogether) {
  for (const auto admission : {Admission::kPush, Admission::kClaim}) {
    EXPECT_EQ(FirstFault({.admission = admission, .rate = 40, .capacity = 5}, 50), "") << Name(admission);
  }
}

TEST(WaitingRoomRate, EntriesReachTheRateWhileFansWait) {
  const Plan plan{.admission = Admission::kPush, .rate = 20};
  const auto history = Crowd(plan).Run(20 * kMinute);
  // 250 fans join in every wave of five minutes and 100 enter, so the line is never empty after the first
  // entry.
  const auto expected = (history.entries.back() - history.entries.front()) * 20 / kMinute + 1;
  EXPECT_GE(static_cast<Ms>(history.entries.size()), expected * 99 / 100);
  EXPECT_GE(history.entries.size(), 380U);
}

// Controls.

TEST(WaitingRoomRate, ControlRateTooHighIsDetected) {
  for (const auto admission : {Admission::kPush, Admission::kClaim}) {
    EXPECT_NE(FirstFault({.admission = admission, .rate = 30, .configured_rate = 36}, 50), "")
        << Name(admission);
  }
}

TEST(WaitingRoomRate, ControlRateBrieflyIgnoredIsDetected) {
  const auto forget = [](WaitingRoom& room, Time now) {
    if (ToMillis(now) % 90'000 != 0) return;
    (void)room.Configure({.rate_per_minute = std::optional<std::uint32_t>{}}, now);
    (void)room.Configure({.rate_per_minute = std::optional<std::uint32_t>{30}}, now);
  };
  EXPECT_NE(FirstFault({.admission = Admission::kPush, .rate = 30, .sabotage = forget}, 50), "");
}

TEST(WaitingRoomRate, ControlExceededCapacityIsDetected) {
  const auto raise = [](WaitingRoom& room, Time now) { (void)room.Configure({.capacity = 6}, now); };
  EXPECT_NE(FirstFault({.admission = Admission::kPush, .rate = 400, .capacity = 5, .sabotage = raise}, 50),
            "");
}

}  // namespace
}  // namespace maejin::simulation
