// POST /api/v1/payments/callback: the operator's payment service reports the result of a payment.
#pragma once

#include "base/clock.h"
#include "domain/booking/payment_signature.h"
#include "http/idempotency.h"
#include "server/router.h"
#include "usecase/accept_payment_event.h"

namespace maejin::http {

// All outlive the router.
struct PaymentRoutes {
  // Null if the provider sends no callbacks: the route then answers payment-not-found.
  AcceptPaymentEvent* accept = nullptr;
  const PaymentSignature* signature = nullptr;
  Idempotency& idempotency;
  const Clock& clock;
};

// The payment service signs its request in `X-Maejin-Timestamp` and `X-Maejin-Signature`
// (domain/booking/payment_signature.h). An `eventId` has one effect and one answer for 24 hours, also after a
// restart. A refused event may be sent again.
void AddPaymentRoutes(Router& router, PaymentRoutes routes);

}  // namespace maejin::http
