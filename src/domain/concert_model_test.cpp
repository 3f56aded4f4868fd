// Random transitions of a concert against a model that is as naive as can be: a list of seats with the name
// of who has them. The model knows nothing of counters, heaps and owners' indexes. Planted faults show that
// it can tell.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "domain/concert.h"

namespace maejin {
namespace {

constexpr Time kOpen = TimeFromMillis(1'767'225'600'000);
constexpr int kSeats = 6;
constexpr Seconds kHold{10};

enum class Fault {
  kNone,
  kExpiresTooEarly,
  kExpiresTooLate,
  kCancelForgets,
  kPaysAfterDeadline,
  kLosesSoldOut,
  kRanksTwice,
  kTakesHeldSeat,
};

// The concert, with at most one thing wrong with it.
class Subject {
 public:
  explicit Subject(Fault fault) : fault_(fault), concert_(1, Details(), kOpen) {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, kSeats, 100});
    concert_.AddSchedule(1, plan, kOpen, kOpen);
  }

  Outcome<std::uint32_t> Hold(std::vector<SeatNumber> seats, const std::string& user, Time now) {
    Expire(now);
    HoldRequest request;
    request.schedule = 1;
    request.seats = std::move(seats);
    request.user = user;
    if (fault_ == Fault::kTakesHeldSeat) {
      for (const auto seat : request.seats) Steal(seat, now);
    }
    return concert_.Hold(request, {Id128{}, ++number_}, now, changes_);
  }
  bool Pay(std::uint32_t index, Time now) {
    if (fault_ != Fault::kPaysAfterDeadline) Expire(now);
    const auto at = fault_ == Fault::kPaysAfterDeadline ? now - kHold : now;
    return concert_.PayAtOnce(index, {concert_.reservation(index).amount}, {Id128{}, ++number_}, at, changes_)
        .ok();
  }
  bool Cancel(std::uint32_t index, Time now) {
    Expire(now);
    if (fault_ == Fault::kCancelForgets) return true;
    return concert_.Cancel(index, now, changes_).ok();
  }
  void Expire(Time now) {
    if (fault_ == Fault::kExpiresTooEarly) now += Millis{1};
    if (fault_ == Fault::kExpiresTooLate) now -= Millis{1};
    concert_.ExpireDue(now, 1000, changes_);
  }
  int SoldOuts() const {
    int count = 0;
    for (const auto& fact : changes_.facts) count += std::holds_alternative<ConcertSoldOut>(fact);
    if (fault_ == Fault::kLosesSoldOut) return 0;
    return fault_ == Fault::kRanksTwice ? 2 * count : count;
  }
  std::int64_t Progress() const {
    std::int64_t seats = 0;
    for (const auto& fact : changes_.facts) {
      if (const auto* progress = std::get_if<ProgressChanged>(&fact)) seats += progress->seats;
    }
    return seats;
  }
  const Concert& concert() const { return concert_; }

 private:
  static ConcertDetails Details() {
    ConcertDetails details{"T", "A", "V"};
    details.booking_open_at = kOpen;
    details.hold = kHold;
    return details;
  }
  void Steal(SeatNumber seat, Time now) {
    const auto& seats = concert_.schedules()[0].seats;
    if (seats.StateOf(seat) != SeatState::kHeld) return;
    [[maybe_unused]] const auto stolen = concert_.Cancel(seats.OwnerOf(seat), now, changes_);
  }

  Fault fault_;
  Concert concert_;
  BookingChanges changes_;
  std::int64_t number_ = 0;
};

struct ModelSeat {
  std::string owner;  // empty: available
  bool paid = false;
  Time until{};
};

// Runs one seed; returns what differed first, or "".
std::string Differs(unsigned seed, Fault fault) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Subject subject(fault);
  std::map<SeatNumber, ModelSeat> seats;
  for (SeatNumber seat = 1; seat <= kSeats; ++seat) seats[seat] = {};
  std::map<std::string, std::uint32_t> index_of;
  Time now = kOpen;
  bool sold_out = false;
  for (int step = 0; step < 60; ++step) {
    now += Millis{pick(4) == 0 ? pick(10'001) : pick(3)};
    for (auto& [number, seat] : seats) {
      if (!seat.owner.empty() && !seat.paid && now >= seat.until) seat = {};
    }
    const auto action = pick(10);
    const auto user = "u" + std::to_string(step);
    if (action < 5) {
      std::vector<SeatNumber> wanted{1 + pick(kSeats)};
      if (pick(2) == 0 && wanted[0] < kSeats) wanted.push_back(wanted[0] + 1);
      bool free = true;
      for (const auto seat : wanted) free = free && seats[seat].owner.empty();
      const auto held = subject.Hold(wanted, user, now);
      if (held.ok() != free) return "hold";
      if (!free) continue;
      for (const auto seat : wanted) seats[seat] = {user, false, now + kHold};
      index_of[user] = *held;
    } else if (!index_of.empty()) {
      const auto chosen = std::next(index_of.begin(), pick(static_cast<int>(index_of.size())));
      bool holds = false;
      bool paid = false;
      for (const auto& [number, seat] : seats) {
        holds = holds || seat.owner == chosen->first;
        paid = paid || (seat.owner == chosen->first && seat.paid);
      }
      if (action < 8) {
        if (subject.Pay(chosen->second, now) != holds) return "payment";
        for (auto& [number, seat] : seats) seat.paid = seat.paid || seat.owner == chosen->first;
      } else if (holds && (!paid || pick(3) == 0)) {
        if (!subject.Cancel(chosen->second, now)) return "cancel";
        for (auto& [number, seat] : seats) {
          if (seat.owner == chosen->first) seat = {};
        }
      }
    }
    subject.Expire(now);
    std::int64_t taken = 0;
    bool all_paid = true;
    for (const auto& [number, seat] : seats) {
      const auto expected = seat.owner.empty() ? SeatState::kAvailable
                            : seat.paid        ? SeatState::kAssigned
                                               : SeatState::kHeld;
      if (subject.concert().schedules()[0].seats.StateOf(number) != expected) return "seat";
      taken += !seat.owner.empty();
      all_paid = all_paid && seat.paid;
    }
    sold_out = sold_out || all_paid;
    if (subject.SoldOuts() != (sold_out ? 1 : 0)) return "sold-out";
    if (subject.Progress() != taken) return "progress";
    const auto& counts = subject.concert().counts();
    if (counts.available + counts.held + counts.assigned + counts.blocked != kSeats) return "counts";
  }
  return "";
}

TEST(ConcertModel, AgreesWithTheNaiveModel) {
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    ASSERT_EQ(Differs(seed, Fault::kNone), "") << "seed " << seed;
  }
}

TEST(ConcertModel, EveryPlantedFaultIsCaught) {
  for (const auto fault :
       {Fault::kExpiresTooEarly, Fault::kExpiresTooLate, Fault::kCancelForgets, Fault::kPaysAfterDeadline,
        Fault::kLosesSoldOut, Fault::kRanksTwice, Fault::kTakesHeldSeat}) {
    int caught = 0;
    for (unsigned seed = 1; seed <= 2000; ++seed) caught += !Differs(seed, fault).empty();
    EXPECT_GT(caught, 0) << "fault " << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace maejin
