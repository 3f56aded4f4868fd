// Random payments through a provider that answers late, twice, or not at all, compared with a model that
// counts only money. When all payments are settled, captured money has exactly one seat or was refunded (I8),
// and no seat belongs to two reservations (I1). Injected faults show that the check can fail.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "domain/booking/concert.h"

namespace maejin::payment_model {
namespace {

constexpr Time kOpen = TimeFromMillis(1'767'225'600'000);
constexpr int kSeats = 4;
constexpr Seconds kHold{10};
constexpr Money kPrice = 100;

enum class Fault {
  kNone,
  kForgetsLateMoney,     // money captured after the deadline is ignored
  kRefundsWhatIsSeated,  // a payment reported twice is refunded although its seat is assigned
  kAbandonsTooEarly,     // money of an assigned seat is returned, as if the payment had been abandoned
  kForgetsRefund,        // a due refund is never requested
  kIgnoresAfterDecline,  // money captured after a decline is ignored
};

// The provider's account of one payment. The model knows no reservation and no hold.
struct Account {
  bool captured = false;
  bool returned = false;
  bool closed = false;  // a charge of this payment takes no money any more
};

class Market {
 public:
  Market(unsigned seed, Fault fault) : random_(seed), fault_(fault), concert_(1, Details(), kOpen) {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, kSeats, kPrice});
    concert_.AddSchedule(1, plan, kOpen, kOpen);
  }

  // A sentence about the wrong end state, or "".
  std::string Run() {
    for (int step = 0; step < 80; ++step) {
      now_ += Millis{Pick(4) == 0 ? Pick(6'000) : Pick(5)};
      concert_.ExpireDue(now_, 1000, changes_);
      Step();
      if (!SeatsAgree()) return "seats";
    }
    now_ += kHold;
    concert_.ExpireDue(now_, 1000, changes_);
    SettleEverything();
    return Verdict();
  }

 private:
  using Index = Concert::PaymentIndex;

  static ConcertDetails Details() {
    ConcertDetails details{"T", "A", "V"};
    details.booking_open_at = kOpen;
    details.hold = kHold;
    return details;
  }
  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void Step() {
    switch (Pick(6)) {
      case 0:
      case 1:
        return Hold();
      case 2:
        return Begin();
      case 3:
        return Charge();
      case 4:
        return Cancel();
      default:
        return Tell();
    }
  }

  void Hold() {
    HoldRequest request;
    request.schedule = 1;
    request.seats = {1 + Pick(kSeats)};
    request.user = "u" + std::to_string(++number_);
    [[maybe_unused]] const auto held = concert_.Hold(request, {Id128{}, number_}, now_, changes_);
  }
  void Begin() {
    if (concert_.reservations().empty()) return;
    const auto chosen = static_cast<std::uint32_t>(Pick(static_cast<int>(concert_.reservations().size())));
    PaymentRequest request{concert_.reservation(chosen).amount, "sandbox"};
    [[maybe_unused]] const auto begun =
        concert_.BeginPayment(chosen, request, {Id128{}, ++number_}, now_, changes_);
  }
  // The provider takes the money; its report may arrive later, twice or never.
  void Charge() {
    if (concert_.payments().empty()) return;
    auto& account = accounts_[Some()];
    if (!account.closed) account.captured = true;
  }
  void Cancel() {
    if (concert_.reservations().empty()) return;
    const auto chosen = static_cast<std::uint32_t>(Pick(static_cast<int>(concert_.reservations().size())));
    [[maybe_unused]] const auto cancelled = concert_.Cancel(chosen, EndReason::kCustomer, now_, changes_);
  }
  // Reports an answer of the provider: in time, late, or again.
  void Tell() {
    if (concert_.payments().empty()) return;
    const auto index = Some();
    if (accounts_[index].captured) return Captured(index);
    // A decline that may turn out to be false: the provider may still capture the money later.
    if (Pick(2) == 0) Report(index, PaymentChange::kDeclined);
  }
  void Captured(Index index) {
    const auto before = concert_.payment(index).status;
    if (fault_ == Fault::kForgetsLateMoney) {
      const auto& reservation = concert_.reservation(concert_.ReservationOf(index));
      if (!reservation.Living()) return Report(index, PaymentChange::kDeclined);
    }
    if (fault_ == Fault::kIgnoresAfterDecline && before == PaymentStatus::kFailed) return;
    if (fault_ == Fault::kRefundsWhatIsSeated && before == PaymentStatus::kCaptured) {
      accounts_[index].returned = true;
      return;
    }
    Report(index, PaymentChange::kCaptured);
  }
  void Report(Index index, PaymentChange change) {
    concert_.RecordPayment(index, {{}, change}, now_, changes_);
  }
  Index Some() { return static_cast<Index>(Pick(static_cast<int>(concert_.payments().size()))); }

  // Does the work of the settle worker until no payment is unsettled: ask, abandon, refund.
  void SettleEverything() {
    for (Index index = 0; index < concert_.payments().size(); ++index) {
      auto& account = accounts_[index];
      // Every capture is reported at the end, also if a decline was reported before.
      if (account.captured) Captured(index);
      if (fault_ == Fault::kAbandonsTooEarly && account.captured && Pick(4) == 0) account.returned = true;
      Report(index, PaymentChange::kAbandoned);
      if (concert_.payment(index).status != PaymentStatus::kRefundDue) continue;
      account.closed = true;
      if (fault_ == Fault::kForgetsRefund && Pick(3) == 0) continue;
      account.returned = account.captured;
      Report(index, PaymentChange::kRefunded);
    }
  }

  bool SeatsAgree() const {
    std::map<SeatNumber, int> owners;
    for (const auto& reservation : concert_.reservations()) {
      if (!reservation.Living()) continue;
      for (const auto seat : reservation.seats) ++owners[seat];
    }
    for (SeatNumber seat = 1; seat <= kSeats; ++seat) {
      const bool free = concert_.schedules()[0].seats.StateOf(seat) == SeatState::kAvailable;
      if (owners[seat] != (free ? 0 : 1)) return false;
    }
    return true;
  }

  std::string Verdict() {
    if (fault_ == Fault::kNone && !concert_.unsettled().empty()) return "unsettled";
    std::map<Concert::ReservationIndex, int> money_of;
    for (Index index = 0; index < concert_.payments().size(); ++index) {
      const auto& account = accounts_[index];
      const bool seated = concert_.payment(index).status == PaymentStatus::kCaptured;
      if (seated && !account.captured) return "a seat without money";
      if (account.captured && seated == account.returned) return seated ? "seat and refund" : "neither";
      if (seated) ++money_of[concert_.ReservationOf(index)];
    }
    for (Concert::ReservationIndex index = 0; index < concert_.reservations().size(); ++index) {
      const bool confirmed = concert_.reservation(index).status == ReservationStatus::kConfirmed;
      if (money_of[index] != (confirmed ? 1 : 0)) return "a reservation and its money";
    }
    return "";
  }

  std::mt19937 random_;
  Fault fault_;
  Concert concert_;
  BookingChanges changes_;
  std::map<Index, Account> accounts_;
  std::int64_t number_ = 0;
  Time now_ = kOpen;
};

TEST(PaymentModel, MoneyTakenIsASeatOrARefund) {
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    ASSERT_EQ(Market(seed, Fault::kNone).Run(), "") << "seed " << seed;
  }
}

TEST(PaymentModel, ControlPlantedFaultsAreDetected) {
  for (const auto fault : {Fault::kForgetsLateMoney, Fault::kRefundsWhatIsSeated, Fault::kAbandonsTooEarly,
                           Fault::kForgetsRefund, Fault::kIgnoresAfterDecline}) {
    int caught = 0;
    for (unsigned seed = 1; seed <= 500; ++seed) caught += !Market(seed, fault).Run().empty();
    EXPECT_GT(caught, 0) << "fault " << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace maejin::payment_model
