#include "usecase/advance_payment.h"

namespace maejin {
namespace {

MoneyOrder OrderOf(const Payment& payment) { return {payment.id, payment.amount, payment.method}; }

}  // namespace

Task<Outcome<Done>> ReleaseSlot(WaitingRoomStore& rooms, const PaymentOutcome& paid, Time now) {
  auto room = paid.room == RoomKind::kMain ? RoomId(kMainRoom) : RoomOf(paid.reservation.concert);
  return rooms.ReleaseAfterPayment(std::move(room), paid.reservation.user, now);
}

Task<Outcome<PaymentOutcome>> AdvancePayment::Charge(PaymentOutcome begun) {
  const auto id = begun.payment->id;
  const auto charged = co_await deps_.provider.Charge(OrderOf(*begun.payment));
  if (!charged) co_return begun;
  co_return co_await Record(id, PaymentStatus::kPending, *charged);
}

Task<Outcome<PaymentOutcome>> AdvancePayment::Record(PaymentId id, PaymentStatus before,
                                                     MoneyState reported) {
  const auto now = deps_.clock.Now();
  // The provider returned the money before a refund was due: treat it as declined, so nothing stays due.
  if (reported == MoneyState::kReturned && before != PaymentStatus::kRefundDue)
    reported = MoneyState::kDeclined;
  auto recorded = Outcome<PaymentOutcome>(Refusal::kUnavailable);
  switch (reported) {
    case MoneyState::kCaptured:
      recorded = co_await deps_.bookings.PaymentCaptured(id, now);
      break;
    case MoneyState::kDeclined:
      recorded = co_await deps_.bookings.PaymentDeclined(id, now);
      break;
    case MoneyState::kReturned:
      recorded = co_await deps_.bookings.PaymentRefunded(id, now);
      break;
    case MoneyState::kNone:
    case MoneyState::kPending:
      recorded = co_await deps_.bookings.FindPayment(id, now);
      break;
  }
  if (!recorded) co_return recorded;
  deps_.metrics.Count(before, recorded->payment->status);
  const bool seated = recorded->payment->status == PaymentStatus::kCaptured;
  if (reported == MoneyState::kCaptured && seated && recorded->room != RoomKind::kNone) {
    [[maybe_unused]] const auto released = co_await ReleaseSlot(deps_.rooms, *recorded, now);
  }
  co_return recorded;
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
  if (*asked != MoneyState::kNone) co_return co_await Record(id, PaymentStatus::kPending, *asked);
  const auto now = deps_.clock.Now();
  const auto& reservation = found.reservation;
  if (reservation.status == ReservationStatus::kPaying && now < reservation.expires_at) {
    co_return co_await Charge(std::move(found));
  }
  // Durable before the provider is asked for a refund: a charge that arrives in between gets no seat.
  auto abandoned = co_await deps_.bookings.AbandonPayment(id, now);
  if (abandoned) deps_.metrics.Count(PaymentStatus::kPending, abandoned->payment->status);
  co_return abandoned;
}

Task<Outcome<PaymentOutcome>> AdvancePayment::RequestRefund(PaymentOutcome found) {
  const auto id = found.payment->id;
  const auto answer = co_await deps_.provider.Refund(OrderOf(*found.payment));
  if (!answer) co_return Refusal::kUnavailable;
  // The provider has not refunded yet: the worker asks again later.
  if (*answer == MoneyState::kCaptured) co_return found;
  co_return co_await Record(id, PaymentStatus::kRefundDue, *answer);
}

}  // namespace maejin
