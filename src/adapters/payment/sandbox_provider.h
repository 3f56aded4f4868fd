// The provider `sandbox`: calls `maejin sandbox-pay`, a separate process, over HTTP.
#pragma once

#include "adapters/payment/http_pool.h"
#include "store/payment_provider.h"

namespace maejin::payment {

// Thread-safe. The pool outlives it.
class SandboxProvider final : public PaymentProvider {
 public:
  explicit SandboxProvider(HttpPool& pool) : pool_(pool) {}

  std::string_view name() const override { return "sandbox"; }
  Task<ProviderAnswer> Charge(MoneyOrder order) override;
  Task<ProviderAnswer> Ask(PaymentId key) override;
  Task<ProviderAnswer> Refund(MoneyOrder order) override;

 private:
  Task<ProviderAnswer> CallProvider(PoolRequest call, PaymentId key);

  HttpPool& pool_;
};

// Reads the `status` of a response: "NONE", "PENDING", "CAPTURED", "DECLINED", "VOIDED" or "REFUNDED". A
// malformed response, or one about another key, is kUnknown. A response 503, or a request that was not sent,
// is kUnavailable.
ProviderAnswer ReadMoneyState(const HttpReply& reply, const PaymentId& key);

}  // namespace maejin::payment
