#include "usecase/advance_payment.h"

namespace maejin {
namespace {

MoneyOrder OrderOf(const Payment& payment) { return {payment.id, payment.amount, payment.method}; }

}  // namespace

Task<Outcome<Done>> ReleaseSlot(WaitingRoomStore& rooms, const PaymentOutcome& paid, Time now) {
  auto room = paid.room == RoomKind::kMain ? RoomId(kMainRoom) : RoomOf(paid.reservation.concert);
  return rooms.ReleaseAfterPayment(std::move(room), paid.reservation.user, now);
}

Task<Outcome<PaymentOutcome>> AdvancePayment::Charge(PaymentOutcome begun, RequestTrace trace) {
  const auto id = begun.payment->id;
  auto order = OrderOf(*begun.payment);
  order.trace = std::move(trace);
  const auto charged = co_await deps_.provider.Charge(std::move(order));
  if (!charged) co_return begun;
  co_return co_await RecordAnswer(id, *charged);
}

Task<Outcome<PaymentOutcome>> AdvancePayment::Record(PaymentReport report) {
  const auto now = deps_.clock.Now();
  const auto change = report.change;
  auto recorded = co_await deps_.bookings.RecordPayment(std::move(report), now);
  if (!recorded) co_return recorded;
  if (recorded->changed_from) {
    deps_.metrics.Count(recorded->payment->status);
    const bool declined = recorded->payment->status == PaymentStatus::kFailed;
    if (declined && change == PaymentChange::kDeclined && deps_.refusals)
      deps_.refusals->Count(recorded->reservation.concert, Refusal::kPaymentDeclined);
  }
  const bool seated = recorded->payment->status == PaymentStatus::kCaptured;
  if (change == PaymentChange::kCaptured && seated && recorded->room != RoomKind::kNone) {
    [[maybe_unused]] const auto released = co_await ReleaseSlot(deps_.rooms, *recorded, now);
  }
  co_return recorded;
}

Task<Outcome<PaymentOutcome>> AdvancePayment::RecordAnswer(PaymentId id, MoneyState said) {
  switch (said) {
    case MoneyState::kCaptured:
      return Record({id, PaymentChange::kCaptured});
    // kReturned: the provider returned the money without a request. It holds no money, and no refund is due.
    case MoneyState::kReturned:
    case MoneyState::kDeclined:
      return Record({id, PaymentChange::kDeclined});
    case MoneyState::kNone:
    case MoneyState::kPending:
      break;
  }
  return deps_.bookings.FindPayment(id, deps_.clock.Now());
}

Task<Outcome<PaymentOutcome>> AdvancePayment::Settle(PaymentId id) {
  auto found = co_await deps_.bookings.FindPayment(id, deps_.clock.Now());
  if (!found) co_return found;
  if (found->payment->status == PaymentStatus::kPending) {
    found = co_await SettlePending(std::move(*found));
    if (!found) co_return found;
  }
  if (found->payment->status != PaymentStatus::kRefundDue) co_return found;
  co_return co_await RequestRefund(std::move(*found));
}

Task<Outcome<PaymentOutcome>> AdvancePayment::SettlePending(PaymentOutcome found) {
  const auto id = found.payment->id;
  const auto asked = co_await deps_.provider.Ask(id);
  if (!asked) co_return Refusal::kUnavailable;
  if (*asked != MoneyState::kNone) co_return co_await RecordAnswer(id, *asked);
  const auto now = deps_.clock.Now();
  const auto& reservation = found.reservation;
  if (reservation.status == ReservationStatus::kPaying && now < reservation.expires_at) {
    RequestTrace none;  // GCC 12 destroys a default argument of an awaited call twice
    co_return co_await Charge(std::move(found), std::move(none));
  }
  // The store must record the abandoned payment before Settle() asks the provider for the refund: a capture
  // that arrives before the refund then assigns no seat.
  PaymentReport abandoned{id, PaymentChange::kAbandoned};
  co_return co_await Record(std::move(abandoned));
}

Task<Outcome<PaymentOutcome>> AdvancePayment::RequestRefund(PaymentOutcome found) {
  const auto id = found.payment->id;
  auto order = OrderOf(*found.payment);
  const auto answer = co_await deps_.provider.Refund(std::move(order));
  if (!answer) co_return Refusal::kUnavailable;
  PaymentReport report{id, PaymentChange::kRefunded};
  if (*answer == MoneyState::kDeclined) {
    // `seen` is a fence: this answer must not undo a capture that arrived after the payment was read.
    report.change = PaymentChange::kNothingTaken;
    report.seen = found.payment;
  } else if (*answer != MoneyState::kReturned) {
    co_return found;  // the money is not returned yet: Settle() asks again later
  }
  co_return co_await Record(std::move(report));
}

}  // namespace maejin
