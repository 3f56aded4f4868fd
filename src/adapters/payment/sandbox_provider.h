// The provider `sandbox`: `maejin sandbox-pay`, a process of its own that is asked over HTTP.
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
  Task<ProviderAnswer> Answered(HttpAsk ask, PaymentId key);

  HttpPool& pool_;
};

// The `status` of a sandbox's answer: "NONE", "PENDING", "CAPTURED", "DECLINED", "VOIDED", "REFUNDED". An answer about another
// key, or that cannot be read, is kUnknown; 503 is kUnavailable.
ProviderAnswer ReadMoneyState(const HttpReply& reply, const PaymentId& key);

}  // namespace maejin::payment
