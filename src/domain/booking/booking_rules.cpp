#include "domain/booking/booking_rules.h"

namespace maejin {

bool IsStale(const PaymentReport& report, const Payment& current) {
  if (!report.seen) return false;
  return report.seen->status != current.status || report.seen->settled_at != current.settled_at;
}

bool IsAwaited(const Reservation& reservation, const Payment& payment, bool newest, Time now) {
  return newest && reservation.Unpaid() && reservation.hold_ver == payment.hold_ver &&
         now < reservation.expires_at;
}

bool MayTakeAgain(const Reservation& reservation, bool newest) {
  return newest && reservation.status == ReservationStatus::kExpired;
}

}  // namespace maejin
