#include "usecase/confirm_payment.h"

namespace maejin {

Task<Outcome<PaymentOutcome>> ConfirmPayment::operator()(Claim claim, PaymentRequest request) {
  const auto now = clock_.Now();
  auto paid = co_await bookings_.PayAtOnce(std::move(claim), std::move(request), now);
  if (!paid) co_return paid;
  if (paid->room != RoomKind::kNone) {
    // The payment stands whether or not the room could be told: an untold slot ends with its own deadline.
    auto room = paid->room == RoomKind::kMain ? RoomId(kMainRoom) : RoomOf(paid->reservation.concert);
    const auto released = co_await rooms_.ReleaseAfterPayment(std::move(room), paid->reservation.user, now);
    static_cast<void>(released);
  }
  co_return paid;
}

}  // namespace maejin
