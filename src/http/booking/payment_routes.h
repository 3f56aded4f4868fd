// POST /api/v1/payments/callback: the operator's payment service tells what became of a payment.
#pragma once

#include "base/clock.h"
#include "domain/booking/payment_signature.h"
#include "http/idempotency.h"
#include "server/router.h"
#include "usecase/accept_payment_event.h"

namespace maejin::http {

// All outlive the router.
struct PaymentRoutes {
  // Absent where no provider calls back: then the route is there, and knows no payment.
  AcceptPaymentEvent* accept = nullptr;
  const PaymentSignature* signature = nullptr;
  Idempotency& idempotency;
  const Clock& clock;
};

// Signed in `X-Maejin-Timestamp` and `X-Maejin-Signature` (domain/booking/payment_signature.h). An `eventId` has one effect and gets
// one answer for 24 hours, over restarts as well; what is refused may be sent again.
void AddPaymentRoutes(Router& router, PaymentRoutes routes);

}  // namespace maejin::http
