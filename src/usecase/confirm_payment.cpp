#include "usecase/confirm_payment.h"

namespace maejin {

// A repeated request returns the existing payment, which was counted before.
void ConfirmPayment::CountStart(const PaymentOutcome& outcome, Time now) {
  if (outcome.payment && outcome.payment->created_at == now) deps_.metrics.started.Add();
}

Task<Outcome<PaymentOutcome>> ConfirmPayment::AtOnce(ReservationRef ref, PaymentRequest request, Time now) {
  auto paid = co_await deps_.bookings.PayAtOnce(std::move(ref), std::move(request), now);
  if (!paid) co_return paid;
  CountStart(*paid, now);
  if (paid->payment && paid->payment->created_at == now) deps_.metrics.captured.Add();
  if (paid->room != RoomKind::kNone) {
    [[maybe_unused]] const auto released = co_await ReleaseSlot(deps_.rooms, *paid, now);
  }
  co_return paid;
}

Task<Outcome<PaymentOutcome>> ConfirmPayment::operator()(ReservationRef ref, PaymentRequest request,
                                                         RequestTrace trace) {
  const auto now = deps_.clock.Now();
  Outcome<PaymentOutcome> paid = Refusal::kUnavailable;
  if (deps_.advance) {
    paid = co_await ThroughProvider(std::move(ref), std::move(request), std::move(trace), now);
  } else {
    paid = co_await AtOnce(std::move(ref), std::move(request), now);
  }
  if (!paid || !paid->reservation.schedule_sold_out) co_return paid;
  const auto& reservation = paid->reservation;
  const auto concert = reservation.concert_sold_out ? reservation.concert : ConcertId{0};
  co_await deps_.rankings.RankCommitted(reservation.schedule, concert);
  co_return paid;
}

Task<Outcome<PaymentOutcome>> ConfirmPayment::ThroughProvider(ReservationRef ref, PaymentRequest request,
                                                              RequestTrace trace, Time now) {
  request.provider = deps_.advance->provider();
  auto begun = co_await deps_.bookings.BeginPayment(std::move(ref), std::move(request), now);
  if (!begun) co_return begun;
  CountStart(*begun, now);
  if (begun->reservation.status == ReservationStatus::kConfirmed) co_return begun;
  if (begun->payment->provider != deps_.advance->provider()) co_return Refusal::kAlreadyPaying;
  auto charged = co_await deps_.advance->Charge(std::move(*begun), std::move(trace));
  if (!charged) co_return charged;
  switch (charged->payment->status) {
    case PaymentStatus::kFailed:
      co_return Refusal::kPaymentDeclined;
    case PaymentStatus::kRefundDue:
    case PaymentStatus::kRefunded:
      co_return Refusal::kPaymentRefunded;
    case PaymentStatus::kPending:
    case PaymentStatus::kCaptured:
      break;
  }
  co_return charged;
}

}  // namespace maejin
