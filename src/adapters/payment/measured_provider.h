// A provider whose calls are counted and timed.
#pragma once

#include <chrono>

#include "base/metrics.h"
#include "store/payment_provider.h"

namespace maejin::payment {

// Thread-safe. The references outlive it.
class MeasuredProvider final : public PaymentProvider {
 public:
  MeasuredProvider(PaymentProvider& provider, Metrics& metrics)
      : provider_(provider), charge_(metrics, "charge"), ask_(metrics, "ask"), refund_(metrics, "refund") {}

  std::string_view name() const override { return provider_.name(); }
  bool can_be_asked() const override { return provider_.can_be_asked(); }
  Task<ProviderAnswer> Charge(MoneyOrder order) override {
    return Measured(provider_.Charge(std::move(order)), charge_);
  }
  Task<ProviderAnswer> Ask(PaymentId key) override { return Measured(provider_.Ask(key), ask_); }
  Task<ProviderAnswer> Refund(MoneyOrder order) override {
    return Measured(provider_.Refund(std::move(order)), refund_);
  }

 private:
  struct Call {
    Call(Metrics& metrics, const char* call)
        : seconds(metrics.AddHistogram("maejin_payment_provider_seconds",
                                       "Time until the payment provider answered, in seconds.",
                                       LatencyBounds(), {{"call", call}})),
          answered(Counted(metrics, call, "answered")),
          unknown(Counted(metrics, call, "unknown")),
          unavailable(Counted(metrics, call, "unavailable")) {}
    static Counter& Counted(Metrics& metrics, const char* call, const char* outcome) {
      return metrics.AddCounter("maejin_payment_provider_calls_total", "Calls to the payment provider.",
                                {{"call", call}, {"outcome", outcome}});
    }
    Histogram& seconds;
    Counter& answered;
    Counter& unknown;
    Counter& unavailable;
  };

  static Task<ProviderAnswer> Measured(Task<ProviderAnswer> task, Call& call) {
    const auto start = std::chrono::steady_clock::now();
    const auto answer = co_await std::move(task);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    call.seconds.Observe(took.count());
    if (answer) {
      call.answered.Add();
    } else if (answer.error() == ProviderFailure::kUnknown) {
      call.unknown.Add();
    } else {
      call.unavailable.Add();
    }
    co_return answer;
  }

  PaymentProvider& provider_;
  Call charge_;
  Call ask_;
  Call refund_;
};

}  // namespace maejin::payment
