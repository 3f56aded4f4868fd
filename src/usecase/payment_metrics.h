// Payment metrics, for all providers.
#pragma once

#include "base/metrics.h"
#include "domain/booking/payment.h"

namespace maejin {

// Thread-safe.
struct PaymentMetrics {
  explicit PaymentMetrics(Metrics& metrics)
      : started(Family(metrics, "started")),
        captured(Family(metrics, "captured")),
        declined(Family(metrics, "declined")),
        refund_due(Family(metrics, "refund_due")),
        refunded(Family(metrics, "refunded")) {}

  // Counts a payment that changed to this status.
  void Count(PaymentStatus after) {
    if (after == PaymentStatus::kCaptured) captured.Add();
    if (after == PaymentStatus::kFailed) declined.Add();
    if (after == PaymentStatus::kRefundDue) refund_due.Add();
    if (after == PaymentStatus::kRefunded) refunded.Add();
  }

  Counter& started;
  Counter& captured;
  Counter& declined;
  Counter& refund_due;
  Counter& refunded;

 private:
  static Counter& Family(Metrics& metrics, const char* step) {
    return metrics.AddCounter("maejin_payments_total",
                              "Payment transitions by step; refunds include late and abandoned payments.",
                              {{"step", step}});
  }
};

}  // namespace maejin
