// Random transitions of a concert, compared with a naive model: a list of seats with their owners, and a list
// of the requests. The model has no counters, heaps or indexes. It checks that no seat has two owners (I1),
// the states add up (I2), nothing exists that no customer asked for (I6), a key has one effect (I7), money
// has its seat or went back (I8), holds end in the exact millisecond of their deadline (I9), and the sell-out
// is reported once, with its exact time (I11). Injected faults show that the check can fail.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "domain/booking/concert.h"

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
  kCancelKeepsTheMoney,
  kPaysAfterDeadline,
  kLosesSoldOut,
  kRanksTwice,
  kRanksAMillisecondLate,
  kTakesHeldSeat,
  kHoldsAnotherSeat,
  kForgetsKeys,
  kExtendsTwice,
  kSellsBlockedSeats,
  kMiscountsBlocked,
};
constexpr Fault kLast = Fault::kMiscountsBlocked;

// The concert, with at most one injected fault.
class Subject {
 public:
  explicit Subject(Fault fault) : fault_(fault), concert_(1, Details(), kOpen) {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, kSeats, 100});
    concert_.AddSchedule(1, plan, kOpen, kOpen);
  }

  Outcome<std::uint32_t> Hold(std::vector<SeatNumber> seats, const std::string& user, const std::string& key,
                              Time now) {
    Expire(now);
    for (const auto seat : seats) Spoil(seat, now);
    if (fault_ == Fault::kHoldsAnotherSeat && concert_.counts().available == kSeats) {
      seats = {kSeats};
    }
    HoldRequest request{.schedule = 1, .seats = std::move(seats), .user = user};
    if (fault_ != Fault::kForgetsKeys) request.idempotency_key = key;
    return concert_.Hold(request, {Id128{}, ++number_}, now, changes_);
  }
  bool Extend(std::uint32_t index, Time now) {
    Expire(now);
    const auto extended = concert_.Extend(index, now, changes_);
    return extended.ok() || (fault_ == Fault::kExtendsTwice && extended.error() == Refusal::kAlreadyExtended);
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
    return concert_.Cancel(index, EndReason::kCustomer, now, changes_).ok();
  }
  bool Block(SeatNumber seat, bool block, Time now) {
    Expire(now);
    return (block ? concert_.Block(1, {seat}) : concert_.Unblock(1, {seat})).ok();
  }
  void Expire(Time now) {
    if (fault_ == Fault::kExpiresTooEarly) now += Millis{1};
    if (fault_ == Fault::kExpiresTooLate) now -= Millis{1};
    concert_.ExpireDue(now, 1000, changes_);
  }

  // The times at which a sell-out was reported.
  std::vector<Time> SoldOuts() const {
    std::vector<Time> at;
    for (const auto& fact : changes_.facts) {
      const auto* sold_out = std::get_if<ConcertSoldOut>(&fact);
      if (!sold_out || fault_ == Fault::kLosesSoldOut) continue;
      at.push_back(sold_out->sold_out_at + Millis{fault_ == Fault::kRanksAMillisecondLate ? 1 : 0});
      if (fault_ == Fault::kRanksTwice) at.push_back(at.back());
    }
    return at;
  }
  std::int64_t Progress() const {
    std::int64_t seats = 0;
    for (const auto& fact : changes_.facts) {
      if (const auto* progress = std::get_if<ProgressChanged>(&fact)) seats += progress->seats;
    }
    return seats;
  }
  SeatCounts Counts() const {
    auto counts = concert_.counts();
    if (fault_ == Fault::kMiscountsBlocked && counts.blocked > 0) std::swap(counts.blocked, counts.available);
    return counts;
  }
  // Money that was taken and not given back.
  Money Kept() const {
    Money kept = 0;
    for (const auto& payment : concert_.payments()) {
      const bool returned =
          payment.status == PaymentStatus::kRefunded && fault_ != Fault::kCancelKeepsTheMoney;
      if (!returned) kept += payment.amount;
    }
    return kept;
  }
  const Concert& concert() const { return concert_; }

 private:
  static ConcertDetails Details() {
    ConcertDetails details{"T", "A", "V"};
    details.booking_open_at = kOpen;
    details.hold = kHold;
    return details;
  }
  // Injects a fault: frees a seat that is not free.
  void Spoil(SeatNumber seat, Time now) {
    const auto& seats = concert_.schedules()[0].seats;
    const auto state = seats.StateOf(seat);
    if (fault_ == Fault::kTakesHeldSeat && state == SeatState::kHeld) {
      [[maybe_unused]] const auto stolen =
          concert_.Cancel(seats.OwnerOf(seat), EndReason::kCustomer, now, changes_);
    }
    if (fault_ == Fault::kSellsBlockedSeats && state == SeatState::kBlocked) {
      [[maybe_unused]] const auto freed = concert_.Unblock(1, {seat});
    }
  }

  Fault fault_;
  Concert concert_;
  BookingChanges changes_;
  std::int64_t number_ = 0;
};

struct ModelSeat {
  std::string owner;  // empty: available
  bool paid = false;
  bool blocked = false;
  Time until{};

  SeatState State() const {
    if (blocked) return SeatState::kBlocked;
    if (owner.empty()) return SeatState::kAvailable;
    return paid ? SeatState::kAssigned : SeatState::kHeld;
  }
};

// One run: applies each transition to the concert and to the model, and reports the first difference.
class OneRun {
 public:
  OneRun(unsigned seed, Fault fault) : random_(seed), subject_(fault) {
    for (SeatNumber seat = 1; seat <= kSeats; ++seat) seats_[seat] = {};
  }

  std::string Differs() {
    for (int step = 0; step < 60; ++step) {
      now_ += Millis{Pick(4) == 0 ? Pick(10'001) : Pick(3)};
      Forget([&](const ModelSeat& seat) { return !seat.owner.empty() && !seat.paid && now_ >= seat.until; });
      const auto wrong = Act("u" + std::to_string(step));
      if (!wrong.empty()) return wrong;
      subject_.Expire(now_);
      const auto differs = Compare();
      if (!differs.empty()) return differs;
    }
    return "";
  }

 private:
  struct Asked {
    std::vector<SeatNumber> seats;
    std::string key;
    std::uint32_t index;
    bool extended = false;
  };

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class Which>
  void Forget(Which&& which) {
    for (auto& [number, seat] : seats_) {
      if (which(seat)) seat = {};
    }
  }

  // A sentence about a wrong answer, or "".
  std::string Act(const std::string& user) {
    const auto action = Pick(12);
    if (action < 5) return Hold(user);
    if (action == 11) return BlockOrRelease();
    if (asked_.empty()) return "";
    const auto chosen = std::next(asked_.begin(), Pick(static_cast<int>(asked_.size())));
    if (action < 8) return Pay(chosen->first, chosen->second);
    if (action == 8) return Repeat(chosen->first, chosen->second);
    if (action == 9) return Extend(chosen->first, chosen->second);
    return Cancel(chosen->first, chosen->second);
  }

  std::string Hold(const std::string& user) {
    std::vector<SeatNumber> wanted{1 + Pick(kSeats)};
    if (Pick(2) == 0 && wanted[0] < kSeats) wanted.push_back(wanted[0] + 1);
    bool free = true;
    for (const auto seat : wanted) free = free && seats_[seat].State() == SeatState::kAvailable;
    const auto held = subject_.Hold(wanted, user, "key", now_);
    if (held.ok() != free) return "hold";
    if (!free) return "";
    for (const auto seat : wanted) seats_[seat] = {user, false, false, now_ + kHold};
    asked_[user] = {wanted, "key", *held};
    return "";
  }

  // The same request again finds its reservation, whatever became of it; with other seats it is refused.
  std::string Repeat(const std::string& user, const Asked& asked) {
    const bool same = Pick(2) == 0;
    const auto seats = same ? asked.seats : std::vector<SeatNumber>{asked.seats[0] % kSeats + 1};
    const auto again = subject_.Hold(seats, user, asked.key, now_);
    if (seats == asked.seats) return again.ok() && *again == asked.index ? "" : "key";
    return !again.ok() && again.error() == Refusal::kIdempotencyMismatch ? "" : "key";
  }

  bool Has(const std::string& user, bool paid) const {
    return std::any_of(seats_.begin(), seats_.end(), [&](const auto& entry) {
      return entry.second.owner == user && (!paid || entry.second.paid);
    });
  }

  std::string Pay(const std::string& user, const Asked& asked) {
    const bool holds = Has(user, false);
    if (subject_.Pay(asked.index, now_) != holds) return "payment";
    if (!holds || Has(user, true)) return "";
    for (auto& [number, seat] : seats_) seat.paid = seat.paid || seat.owner == user;
    const bool all = std::all_of(seats_.begin(), seats_.end(),
                                 [](const auto& entry) { return entry.second.paid || entry.second.blocked; });
    if (all && !sold_out_at_) sold_out_at_ = now_;
    return "";
  }

  std::string Extend(const std::string& user, Asked& asked) {
    const bool may = Has(user, false) && !Has(user, true) && !asked.extended;
    if (subject_.Extend(asked.index, now_) != may) return "extension";
    if (!may) return "";
    asked.extended = true;
    for (auto& [number, seat] : seats_) {
      if (seat.owner == user) seat.until += kHold;
    }
    return "";
  }

  std::string Cancel(const std::string& user, const Asked& asked) {
    if (!Has(user, false) || (Has(user, true) && Pick(3) != 0)) return "";
    if (!subject_.Cancel(asked.index, now_)) return "cancel";
    Forget([&](const ModelSeat& seat) { return seat.owner == user; });
    return "";
  }

  std::string BlockOrRelease() {
    const SeatNumber number = 1 + Pick(kSeats);
    auto& seat = seats_[number];
    const bool block = Pick(3) == 0;
    const bool may = !block || seat.owner.empty();
    if (subject_.Block(number, block, now_) != may) return "block";
    if (may) seat.blocked = block;
    return "";
  }

  std::string Compare() const {
    const auto& concert = subject_.concert();
    SeatCounts counted;
    Money paid = 0;
    for (const auto& [number, seat] : seats_) {
      const auto& map = concert.schedules()[0].seats;
      if (map.StateOf(number) != seat.State()) return "seat";
      const auto owner = map.OwnerOf(number);
      if ((owner == SeatMap::kNoReservation) != seat.owner.empty()) return "owner";
      if (owner != SeatMap::kNoReservation && concert.reservation(owner).user != seat.owner) return "owner";
      counted.available += seat.State() == SeatState::kAvailable;
      counted.held += seat.State() == SeatState::kHeld;
      counted.assigned += seat.State() == SeatState::kAssigned;
      counted.blocked += seat.State() == SeatState::kBlocked;
      paid += seat.paid ? 100 : 0;
    }
    if (subject_.Counts() != counted) return "counts";
    if (subject_.Kept() != paid) return "money";
    if (subject_.Progress() != counted.held + counted.assigned) return "progress";
    if (concert.reservations().size() != asked_.size()) return "reservations";
    const auto told = subject_.SoldOuts();
    if (told.size() != (sold_out_at_ ? 1U : 0U)) return "sold-out";
    return sold_out_at_ && told[0] != *sold_out_at_ ? "sold-out time" : "";
  }

  std::mt19937 random_;
  Subject subject_;
  Time now_ = kOpen;
  std::map<SeatNumber, ModelSeat> seats_;
  std::map<std::string, Asked> asked_;  // holds that were granted, by user
  std::optional<Time> sold_out_at_;     // the first time
};

TEST(ConcertModel, AgreesWithTheNaiveModel) {
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    ASSERT_EQ(OneRun(seed, Fault::kNone).Differs(), "") << "seed " << seed;
  }
}

TEST(ConcertModel, ControlPlantedFaultsAreDetected) {
  for (int fault = 1; fault <= static_cast<int>(kLast); ++fault) {
    int caught = 0;
    for (unsigned seed = 1; seed <= 2000; ++seed)
      caught += !OneRun(seed, static_cast<Fault>(fault)).Differs().empty();
    EXPECT_GT(caught, 0) << "fault " << fault;
  }
}

}  // namespace
}  // namespace maejin
