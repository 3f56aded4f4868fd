// The provider `callback`: the operator's own payment service takes the money and reports it to maejin by a
// signed request (http/booking/payment_routes.h). maejin calls the service only for refunds, and only if
// `payment.refund-url` is set.
#pragma once

#include <string>

#include "adapters/payment/http_pool.h"
#include "base/clock.h"
#include "domain/booking/payment_signature.h"
#include "store/payment_provider.h"

namespace maejin::payment {

// Thread-safe. The references outlive it.
class CallbackProvider final : public PaymentProvider {
 public:
  // Where refunds are requested. Without a pool the service must poll maejin for due refunds.
  struct Refunds {
    HttpPool* pool = nullptr;
    std::string path = "/";
  };
  CallbackProvider(Refunds refunds, const PaymentSignature& signature, const Clock& clock)
      : refunds_(std::move(refunds)), signature_(signature), clock_(clock) {}

  std::string_view name() const override { return "callback"; }
  bool can_be_asked() const override { return false; }
  // Always kPending: the service reports the result.
  Task<ProviderAnswer> Charge(MoneyOrder) override { co_return MoneyState::kPending; }
  Task<ProviderAnswer> Ask(PaymentId) override { co_return MoneyState::kPending; }
  // Posts `{type:"refund", key, amount}`, signed. A response 202, or an empty 2xx, is kPending: the service
  // calls back with the result. ReadMoneyState() in sandbox_provider.h reads every other response.
  Task<ProviderAnswer> Refund(MoneyOrder order) override;

 private:
  Refunds refunds_;
  const PaymentSignature& signature_;
  const Clock& clock_;
};

}  // namespace maejin::payment
