#include "usecase/settle_payments.h"

#include <algorithm>

#include "base/log.h"

namespace maejin {
namespace {

bool Ended(const Payment& payment) {
  return payment.status != PaymentStatus::kPending && payment.status != PaymentStatus::kRefundDue;
}

}  // namespace

Task<std::vector<PaymentId>> SettlePayments::Due() {
  const auto now = clock_.Now();
  std::vector<PaymentId> due;
  const auto found = co_await bookings_.UnsettledPayments(now - options_.grace, options_.most);
  if (!found) co_return due;
  unsettled_.store(found->size(), std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  ++scans_;
  for (const auto& payment : *found) {
    if (payment.provider != advance_.provider()) continue;
    auto& attempts = attempts_[payment.id];
    attempts.scan = scans_;
    if (attempts.running || attempts.next > now || running_ == options_.at_once) continue;
    attempts.running = true;
    ++running_;
    due.push_back(payment.id);
  }
  // Payments that this scan did not find are settled, by another node or by the provider's callback.
  std::erase_if(attempts_,
                [this](const auto& each) { return !each.second.running && each.second.scan != scans_; });
  co_return due;
}

Task<Done> SettlePayments::Settle(PaymentId id) {
  bool ended = false;
  try {
    const auto settled = co_await advance_.Settle(id);
    ended = settled.ok() && Ended(*settled->payment);
  } catch (const std::exception& error) {
    LogError("payments: settling {} failed: {}", id.ToString(), error.what());
  }
  RecordAttempt(id, ended);
  co_return Done{};
}

void SettlePayments::RecordAttempt(PaymentId id, bool ended) {
  const auto now = clock_.Now();
  const std::lock_guard lock(mutex_);
  --running_;
  if (ended) {
    attempts_.erase(id);
    return;
  }
  auto& attempts = attempts_[id];
  attempts.running = false;
  attempts.wait = std::clamp(attempts.wait * 2, options_.shortest_wait, options_.longest_wait);
  attempts.next = now + attempts.wait;
}

}  // namespace maejin
