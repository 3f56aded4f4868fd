// Settles payments whose provider loses its answers or does not know the payment. Runs against the embedded
// store and a scripted provider.
#include "usecase/settle_payments.h"
#include "adapters/embedded/ranking_store.h"

#include <gtest/gtest.h>

#include <map>

#include "base/run_task.h"
#include "tests/support/embedded_booking.h"
#include "usecase/accept_payment_event.h"
#include "usecase/confirm_payment.h"

namespace maejin {
namespace {

constexpr Time kSaleStart = TimeFromMillis(1'767'225'600'000);

// A store without rooms that counts released slots.
class EmptyRooms final : public WaitingRoomStore {
 public:
  Task<Outcome<Done>> EnsureRoom(RoomId, Time, RoomState) override { co_return Done{}; }
  Task<Outcome<PlaceAnswer>> Join(JoinRequest, Time) override { co_return Refusal::kRoomNotFound; }
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef, Time) override { co_return Refusal::kRoomNotFound; }
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView&, Time) override { return {}; }
  std::optional<Outcome<PlaceAnswer>> PeekAtOnce(const PlaceView&, Time) override { return {}; }
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef, Time) override { co_return Refusal::kRoomNotFound; }
  Task<Outcome<Done>> Leave(PlaceRef, Time) override { co_return Done{}; }
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId, UserId, Time) override {
    ++released;
    co_return Done{};
  }
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef, Time) override { co_return Refusal::kRoomNotFound; }
  Task<Outcome<Done>> Revoke(RevokeRequest, Time) override { co_return Done{}; }
  Task<Outcome<RoomInfo>> Configure(RoomId, RoomPatch, std::string, Time) override {
    co_return Refusal::kRoomNotFound;
  }
  void SetSeats(RoomId, bool, Time) override {}
  Task<Outcome<RoomInfo>> Read(RoomId, Time) override { co_return Refusal::kRoomNotFound; }
  Task<Outcome<Serving>> ReadServing(RoomId, Time) override { co_return Refusal::kRoomNotFound; }
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view, Time) override { return {}; }
  std::vector<RoomId> Rooms() const override { return {}; }
  Task<Outcome<RoomTally>> ReadTally(RoomId, Time) override { co_return Refusal::kRoomNotFound; }
  SiteStore& sites() override { std::abort(); }
  void Tick(Time) override {}

  int released = 0;
};

// A provider with one account per key. It can lose its answer after it has taken or returned the money.
class ScriptedProvider final : public PaymentProvider {
 public:
  enum class Behaviour { kAnswers, kLosesAnswers, kDown, kDeclines };

  std::string_view name() const override { return "scripted"; }
  bool can_be_asked() const override { return asks; }
  Task<ProviderAnswer> Charge(MoneyOrder order) override {
    if (on_charge) on_charge();
    if (behaviour == Behaviour::kDown) co_return ProviderFailure::kUnavailable;
    auto& account = accounts[order.key];
    if (account == MoneyState::kNone) {
      account = behaviour == Behaviour::kDeclines ? MoneyState::kDeclined : MoneyState::kCaptured;
      captures += account == MoneyState::kCaptured;
    }
    co_return Answer(account);
  }
  Task<ProviderAnswer> Ask(PaymentId key) override {
    if (behaviour == Behaviour::kDown) co_return ProviderFailure::kUnavailable;
    co_return Answer(accounts[key]);
  }
  Task<ProviderAnswer> Refund(MoneyOrder order) override {
    if (behaviour == Behaviour::kDown) co_return ProviderFailure::kUnavailable;
    auto& account = accounts[order.key];
    refunds += account == MoneyState::kCaptured;
    account = account == MoneyState::kCaptured ? MoneyState::kReturned
              : account == MoneyState::kNone   ? MoneyState::kDeclined
                                               : account;
    co_return Answer(account);
  }

  Behaviour behaviour = Behaviour::kAnswers;
  bool asks = true;
  std::function<void()> on_charge;
  std::map<PaymentId, MoneyState> accounts;
  int captures = 0;
  int refunds = 0;

 private:
  ProviderAnswer Answer(MoneyState state) const {
    if (behaviour == Behaviour::kLosesAnswers) return ProviderFailure::kUnknown;
    return state;
  }
};

using Behaviour = ScriptedProvider::Behaviour;

class SettlePaymentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ConcertDetails details{"T", "A", "V", 100};
    details.hold = Seconds{60};
    details.booking_open_at = kSaleStart;
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, 40, 100});
    schedule_ = RunTask(booking_.store().CreateConcert(details, {plan}, clock_.Now()))->schedules[0].id;
  }

  Reservation Hold(SeatNumber seat, const std::string& user = "fan") {
    HoldRequest request;
    request.schedule = schedule_;
    request.seats = {seat};
    request.user = user;
    return *RunTask(booking_.store().Hold(request, clock_.Now()));
  }
  Outcome<PaymentOutcome> Pay(const Reservation& held) {
    return RunTask(confirm_(ReservationRef{held.id, held.user}, PaymentRequest{held.amount}, RequestTrace{}));
  }
  void Pass(Millis time) {
    clock_.Advance(time);
    booking_.store().ExpireHolds(clock_.Now());
  }
  // One run of the worker; returns the number of payments it tried to settle.
  std::size_t Work() {
    const auto due = RunTask(settle_.Due());
    for (const auto& id : due) RunTask(settle_.Settle(id));
    return due.size();
  }
  PaymentOutcome Read(const Reservation& held) {
    return *RunTask(booking_.store().FindReservation(ReservationRef{held.id, held.user}, clock_.Now()));
  }
  SeatState StateOf(SeatNumber seat) {
    return booking_.store().ReadSeats(schedule_)->states[static_cast<std::size_t>(seat - 1)];
  }

  EmbeddedBookingUnderTest booking_;
  EmptyRooms rooms_;
  embedded::EmbeddedRankingStore rankings_{booking_.journal(),
                                           {booking_.database(), *TimeZone::Find("Asia/Seoul"), kSaleStart}};
  VirtualClock clock_{kSaleStart};
  Metrics registry_;
  PaymentMetrics metrics_{registry_};
  ScriptedProvider provider_;
  AdvancePayment advance_{{booking_.store(), rooms_, provider_, clock_, metrics_}};
  ConfirmPayment confirm_{{booking_.store(), rooms_, rankings_, clock_, metrics_, &advance_}};
  SettlePayments settle_{booking_.store(), advance_, clock_};
  ScheduleId schedule_ = 0;
};

TEST_F(SettlePaymentsTest, CapturedPaymentConfirmsAndReleasesTheSlot) {
  const auto paid = Pay(Hold(1));
  ASSERT_TRUE(paid.ok());
  EXPECT_EQ(paid->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(rooms_.released, 1);
  EXPECT_EQ(metrics_.started.Value(), 1U);
  EXPECT_EQ(metrics_.captured.Value(), 1U);
}

TEST_F(SettlePaymentsTest, DeclinedPaymentIsRefusedAndTheHoldContinues) {
  provider_.behaviour = Behaviour::kDeclines;
  const auto held = Hold(1);
  EXPECT_EQ(Pay(held).error(), Refusal::kPaymentDeclined);
  EXPECT_EQ(Read(held).reservation.status, ReservationStatus::kHeld);
  provider_.behaviour = Behaviour::kAnswers;
  EXPECT_EQ(Pay(held)->reservation.status, ReservationStatus::kConfirmed);
}

TEST_F(SettlePaymentsTest, LostAnswerIsQueriedAndTheMoneyCapturedOnce) {
  provider_.behaviour = Behaviour::kLosesAnswers;
  const auto held = Hold(1);
  EXPECT_EQ(Pay(held)->reservation.status, ReservationStatus::kPaying);
  provider_.behaviour = Behaviour::kAnswers;
  EXPECT_EQ(Work(), 0U) << "left to its own request";
  Pass(Seconds{12});
  EXPECT_EQ(Work(), 1U);
  EXPECT_EQ(Read(held).reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(provider_.captures, 1);
  EXPECT_EQ(rooms_.released, 1);
  EXPECT_EQ(Work(), 0U);
}

TEST_F(SettlePaymentsTest, PaymentUnknownToTheProviderIsChargedWhileTheHoldIsValid) {
  provider_.behaviour = Behaviour::kDown;
  const auto held = Hold(1);
  EXPECT_EQ(Pay(held)->reservation.status, ReservationStatus::kPaying);
  provider_.behaviour = Behaviour::kAnswers;
  Pass(Seconds{12});
  EXPECT_EQ(Work(), 1U);
  EXPECT_EQ(Read(held).reservation.status, ReservationStatus::kConfirmed);
}

TEST_F(SettlePaymentsTest, PaymentUnknownToTheProviderIsClosedAfterTheHold) {
  provider_.behaviour = Behaviour::kDown;
  const auto held = Hold(1);
  ASSERT_TRUE(Pay(held).ok());
  provider_.behaviour = Behaviour::kAnswers;
  Pass(Seconds{60});
  EXPECT_EQ(Work(), 1U);
  const auto found = Read(held);
  EXPECT_EQ(found.reservation.status, ReservationStatus::kExpired);
  EXPECT_EQ(found.payment->status, PaymentStatus::kFailed);
  // A delayed charge takes nothing, because the refund has closed the key.
  EXPECT_EQ(*RunTask(provider_.Charge({found.payment->id, 100, ""})), MoneyState::kDeclined);
  EXPECT_EQ(provider_.captures, 0);
}

TEST_F(SettlePaymentsTest, LateCaptureGetsTheFreeSeatOrIsRefunded) {
  provider_.behaviour = Behaviour::kLosesAnswers;
  const auto lucky = Hold(1);
  const auto unlucky = Hold(2, "slow");
  ASSERT_TRUE(Pay(lucky).ok());
  ASSERT_TRUE(Pay(unlucky).ok());
  Pass(Seconds{60});
  Hold(2, "quick");
  provider_.behaviour = Behaviour::kAnswers;
  EXPECT_EQ(Work(), 2U);
  EXPECT_EQ(Read(lucky).reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(Read(unlucky).reservation.status, ReservationStatus::kExpired);
  EXPECT_EQ(Read(unlucky).payment->status, PaymentStatus::kRefunded);
  EXPECT_EQ(provider_.refunds, 1);
  EXPECT_EQ(metrics_.refunded.Value(), 1U);
}

TEST_F(SettlePaymentsTest, LateCaptureWithoutASeatIsRefused) {
  const auto held = Hold(1, "slow");
  provider_.on_charge = [this] {
    Pass(Seconds{60});
    provider_.on_charge = {};
    Hold(1, "quick");
  };
  EXPECT_EQ(Pay(held).error(), Refusal::kPaymentRefunded);
  Pass(Seconds{12});
  EXPECT_EQ(Work(), 1U);
  EXPECT_EQ(Read(held).payment->status, PaymentStatus::kRefunded);
  EXPECT_EQ(StateOf(1), SeatState::kHeld);
}

TEST_F(SettlePaymentsTest, CancelledPaymentIsRefundedAfterARestart) {
  const auto held = Hold(1);
  ASSERT_TRUE(Pay(held).ok());
  ASSERT_TRUE(RunTask(booking_.store().Cancel(ReservationRef{held.id, held.user}, clock_.Now())).ok());
  booking_.Restart(clock_.Now());
  AdvancePayment advance{{booking_.store(), rooms_, provider_, clock_, metrics_}};
  SettlePayments settle{booking_.store(), advance, clock_};
  Pass(Seconds{12});
  for (const auto& id : RunTask(settle.Due())) RunTask(settle.Settle(id));
  EXPECT_EQ(provider_.refunds, 1);
  EXPECT_EQ(RunTask(settle.Due()).size(), 0U);
  EXPECT_EQ(settle.unsettled(), 0U);
}

TEST_F(SettlePaymentsTest, RetryDelayDoublesUpToTenSeconds) {
  provider_.behaviour = Behaviour::kDown;
  ASSERT_TRUE(Pay(Hold(1)).ok());
  Pass(Seconds{12});
  std::vector<std::int64_t> waits;
  std::int64_t waited = 0;
  for (int i = 0; i < 1000 && waits.size() < 8; ++i) {
    if (Work() == 1) {
      waits.push_back(waited);
      waited = 0;
    }
    Pass(Millis{100});
    waited += 100;
  }
  EXPECT_EQ(waits, (std::vector<std::int64_t>{0, 500, 1000, 2000, 4000, 8000, 10'000, 10'000}));
  EXPECT_EQ(settle_.unsettled(), 1U);
}

TEST_F(SettlePaymentsTest, AtMostAtOncePaymentsAreInFlight) {
  provider_.behaviour = Behaviour::kDown;
  for (SeatNumber seat = 1; seat <= 3; ++seat) ASSERT_TRUE(Pay(Hold(seat)).ok());
  Pass(Seconds{12});
  SettleOptions options;
  options.at_once = 2;
  SettlePayments settle{booking_.store(), advance_, clock_, options};
  const auto first = RunTask(settle.Due());
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(RunTask(settle.Due()).size(), 0U);
  RunTask(settle.Settle(first[0]));
  EXPECT_EQ(RunTask(settle.Due()).size(), 1U);
}

// As many customers as the worker has slots walked away, and then one reservation is cancelled.
TEST_F(SettlePaymentsTest, RefundDoesNotWaitForPendingPayments) {
  for (const bool asks : {true, false}) {
    provider_.asks = asks;
    provider_.behaviour = Behaviour::kDown;
    const SeatNumber first = asks ? 1 : 18;
    for (SeatNumber seat = first; seat < first + 16; ++seat)
      ASSERT_TRUE(Pay(Hold(seat, "walked-away-" + std::to_string(seat))).ok());
    Pass(Seconds{1});
    provider_.behaviour = Behaviour::kAnswers;
    const auto held = Hold(first + 16, "cancels");
    ASSERT_TRUE(Pay(held).ok());
    ASSERT_TRUE(RunTask(booking_.store().Cancel(ReservationRef{held.id, held.user}, clock_.Now())).ok());
    Pass(Seconds{12});
    const auto due = RunTask(settle_.Due());
    ASSERT_FALSE(due.empty());
    EXPECT_EQ(due.front(), Read(held).payment->id);
    EXPECT_EQ(due.size(), asks ? 16U : 1U) << "a provider that cannot be asked needs no slots";
    for (const auto& id : due) RunTask(settle_.Settle(id));
    EXPECT_EQ(Read(held).payment->status, PaymentStatus::kRefunded);
    Pass(Seconds{1});
    Work();
  }
}

// More payments than slots, none of which can be settled: every payment gets its turn, whatever its age.
TEST_F(SettlePaymentsTest, PaymentsTakeTurns) {
  for (SeatNumber seat = 1; seat <= 8; ++seat) {
    const auto held = Hold(seat, "fan-" + std::to_string(seat));
    provider_.behaviour = seat <= 4 ? Behaviour::kAnswers : Behaviour::kDown;
    ASSERT_TRUE(Pay(held).ok());
    if (seat > 4) continue;
    ASSERT_TRUE(RunTask(booking_.store().Cancel(ReservationRef{held.id, held.user}, clock_.Now())).ok());
  }
  SettleOptions options;
  options.at_once = 4;
  options.longest_wait = options.shortest_wait;
  SettlePayments settle{booking_.store(), advance_, clock_, options};
  Pass(Seconds{12});
  std::map<PaymentId, int> attempts;
  for (int scan = 0; scan < 16; ++scan) {
    const auto due = RunTask(settle.Due());
    EXPECT_EQ(due.size(), 4U);
    for (const auto& id : due) ++attempts[id];
    for (const auto& id : due) RunTask(settle.Settle(id));
    Pass(Millis{500});
  }
  ASSERT_EQ(attempts.size(), 8U) << "refunds do not take every slot";
  for (const auto& [id, count] : attempts) EXPECT_GE(count, 4);
}

// Refunds that hang keep their slots: a scan that finds only a few free slots gives them to pending payments.
TEST_F(SettlePaymentsTest, HangingRefundsLeaveAQuarterOfTheSlotsToPendingPayments) {
  const auto pay = [this](SeatNumber seat) {
    const auto held = Hold(seat, "fan-" + std::to_string(seat));
    return std::pair(Pay(held)->payment->id, ReservationRef{held.id, held.user});
  };
  for (SeatNumber seat = 1; seat <= 12; ++seat) {
    const auto refunded = pay(seat).second;
    ASSERT_TRUE(RunTask(booking_.store().Cancel(refunded, clock_.Now())).ok());
  }
  SettleOptions options;
  options.at_once = 4;
  SettlePayments settle{booking_.store(), advance_, clock_, options};
  Pass(Seconds{12});
  const auto refunds = RunTask(settle.Due());
  ASSERT_EQ(refunds.size(), 4U);
  provider_.behaviour = Behaviour::kDown;
  const auto pending = pay(20).first;
  Pass(Seconds{12});
  provider_.behaviour = Behaviour::kAnswers;
  RunTask(settle.Settle(refunds[0]));
  EXPECT_EQ(RunTask(settle.Due()), std::vector{pending}) << "three refunds are still in flight";
  RunTask(settle.Settle(pending));
  EXPECT_EQ(RunTask(settle.Due()).size(), 1U) << "nothing is pending: a refund gets the slot";
}

// Control: without the worker, money of a lost answer is never returned.
TEST_F(SettlePaymentsTest, ControlWithoutTheWorkerMoneyIsNotReturned) {
  provider_.behaviour = Behaviour::kLosesAnswers;
  const auto held = Hold(1);
  ASSERT_TRUE(Pay(held).ok());
  Pass(Seconds{3600});
  EXPECT_EQ(provider_.captures, 1);
  EXPECT_EQ(provider_.refunds, 0);
  EXPECT_EQ(Read(held).reservation.status, ReservationStatus::kExpired);
}

TEST_F(SettlePaymentsTest, EventNeedsTheRightPaymentAndAmount) {
  provider_.behaviour = Behaviour::kDown;
  const auto held = Hold(1);
  const auto id = Pay(held)->payment->id;
  AcceptPaymentEvent accept{booking_.store(), advance_, clock_};
  const auto tell = [&](PaymentId payment, PaymentChange change, Money amount) {
    return RunTask(accept({payment, change, amount}));
  };
  EXPECT_EQ(tell(PaymentId{}, PaymentChange::kCaptured, 100).error(), Refusal::kPaymentNotFound);
  EXPECT_EQ(tell(id, PaymentChange::kCaptured, 99).error(), Refusal::kAmountMismatch);
  EXPECT_EQ(Read(held).reservation.status, ReservationStatus::kPaying);
  EXPECT_EQ(tell(id, PaymentChange::kCaptured, 100)->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(tell(id, PaymentChange::kDeclined, 100)->reservation.status, ReservationStatus::kConfirmed);
  EXPECT_EQ(tell(id, PaymentChange::kRefunded, 100)->payment->status, PaymentStatus::kCaptured);
  ASSERT_TRUE(RunTask(booking_.store().Cancel(ReservationRef{held.id, held.user}, clock_.Now())).ok());
  EXPECT_EQ(tell(id, PaymentChange::kDeclined, 100)->payment->status, PaymentStatus::kRefundDue);
  EXPECT_EQ(tell(id, PaymentChange::kRefunded, 100)->payment->status, PaymentStatus::kRefunded);
}

}  // namespace
}  // namespace maejin
