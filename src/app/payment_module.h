// Builds the configured payment provider, the worker that settles unfinished payments, and the callback
// route.
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
#include "usecase/count_refusals.h"
#include "usecase/settle_payments.h"

namespace maejin::app {

class PaymentModule {
 public:
  // All references outlive the module.
  struct Dependencies {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    const Clock& clock;
    Metrics& metrics;
    http::Idempotency& idempotency;
    CountRefusals& refusals;
  };
  // Throws std::runtime_error with a sentence for the operator if the secret cannot be read or created.
  PaymentModule(const config::Config& config, const Dependencies& deps);
  ~PaymentModule();

  // Null: maejin records payments itself, without a provider.
  AdvancePayment* advance() { return advance_ ? &*advance_ : nullptr; }
  PaymentMetrics& metrics() { return metrics_; }

  void AddRoutes(http::Router& router);
  // Settles unfinished payments in the background until Stop().
  void Start();
  // Ends payments in flight. They resume on the io_contexts of the server: call Stop() after the server's
  // threads have ended and before these io_contexts are destroyed.
  void Stop();

 private:
  void Choose(const config::Config& config);
  void ChooseCallback(const config::Config& config);
  void OpenPool(const config::Address& address, const config::Config& config,
                payment::HttpPoolOptions options);

  const Dependencies deps_;
  PaymentMetrics metrics_;
  SettleOptions options_;
  std::unique_ptr<payment::HttpPool> pool_;    // null: no outgoing calls
  std::optional<PaymentSignature> signature_;  // callback provider only
  std::unique_ptr<PaymentProvider> provider_;  // null: instant payments
  std::unique_ptr<PaymentProvider> measured_;  // wraps provider_, with metrics
  std::optional<AdvancePayment> advance_;
  std::optional<AcceptPaymentEvent> accept_;  // callback provider only
  std::optional<SettlePayments> settle_;
  std::optional<Ticker> ticker_;
};

}  // namespace maejin::app
