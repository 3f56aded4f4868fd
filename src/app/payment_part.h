// Payments as a part of the application: the provider that was chosen, the worker that settles what was left behind, and the
// route by which a provider calls back.
#pragma once

#include <memory>
#include <optional>

#include "adapters/payment/http_pool.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/ticker.h"
#include "config/config.h"
#include "domain/booking/payment_signature.h"
#include "http/idempotency.h"
#include "usecase/accept_payment_event.h"
#include "usecase/settle_payments.h"

namespace maejin::app {

class PaymentPart {
 public:
  // All of it outlives the part.
  struct Parts {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    const Clock& clock;
    Metrics& metrics;
    http::Idempotency& idempotency;
  };
  // Throws std::runtime_error with a sentence for the operator: a secret that cannot be read or made.
  PaymentPart(const config::Config& config, const Parts& parts);
  ~PaymentPart();

  // Absent: maejin records the money itself.
  AdvancePayment* advance() { return advance_ ? &*advance_ : nullptr; }
  PaymentMetrics& metrics() { return metrics_; }

  void AddRoutes(http::Router& router);
  // Settles in the background until Stop().
  void Start();
  // After the serving threads have ended, and before their contexts go: payments under way resume there.
  void Stop();

 private:
  void Choose(const config::Config& config);
  void ChooseCallback(const config::Config& config);
  void OpenPool(const config::Address& address, const config::Config& config,
                payment::HttpPoolOptions options);

  const Parts parts_;
  PaymentMetrics metrics_;
  SettleOptions options_;
  std::unique_ptr<payment::HttpPool> pool_;    // absent: nobody outside is asked
  std::optional<PaymentSignature> signature_;  // callback
  std::unique_ptr<PaymentProvider> provider_;  // absent: instant
  std::unique_ptr<PaymentProvider> measured_;  // the same, counted
  std::optional<AdvancePayment> advance_;
  std::optional<AcceptPaymentEvent> accept_;  // callback
  std::optional<SettlePayments> settle_;
  std::optional<Ticker> ticker_;
};

}  // namespace maejin::app
