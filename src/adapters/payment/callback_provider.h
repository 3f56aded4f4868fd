// The provider `callback`: the operator's own payment service takes the money and tells maejin by a signed call
// (http/booking/payment_routes.h). maejin asks it for one thing only, and only where it has an address: to give money back.
#pragma once

#include <string>

#include "adapters/payment/http_pool.h"
#include "base/clock.h"
#include "domain/booking/payment_signature.h"
#include "store/payment_provider.h"

namespace maejin::payment {

// Thread-safe. What it refers to outlives it.
class CallbackProvider final : public PaymentProvider {
 public:
  // Where refunds are asked for; without a pool the service is told by nobody, and looks for itself.
  struct Refunds {
    HttpPool* pool = nullptr;
    std::string path = "/";
  };
  CallbackProvider(Refunds refunds, const PaymentSignature& signature, const Clock& clock)
      : refunds_(std::move(refunds)), signature_(signature), clock_(clock) {}

  std::string_view name() const override { return "callback"; }
  // The service speaks first: always kPending.
  Task<ProviderAnswer> Charge(MoneyOrder) override { co_return MoneyState::kPending; }
  Task<ProviderAnswer> Ask(PaymentId) override { co_return MoneyState::kPending; }
  // Posts `{type:"refund", key, amount}`, signed. An answer with a `status` settles it (as a sandbox's does); without one it is
  // under way, until the service calls back.
  Task<ProviderAnswer> Refund(MoneyOrder order) override;

 private:
  Refunds refunds_;
  const PaymentSignature& signature_;
  const Clock& clock_;
};

}  // namespace maejin::payment
