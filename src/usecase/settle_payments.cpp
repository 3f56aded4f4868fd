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
  Queue refunds;
  Queue pending;
  for (const auto& payment : *found) {
    if (payment.provider != advance_.provider() || !advance_.CanSettle(payment.status)) continue;
    const auto [at, is_new] = attempts_.try_emplace(payment.id);
    auto& attempts = at->second;
    attempts.scan = scans_;
    if (is_new) attempts.next = payment.created_at + options_.grace;
    if (attempts.slot != Slot::kNone || attempts.next > now) continue;
    (payment.status == PaymentStatus::kRefundDue ? refunds : pending).emplace_back(attempts.next, payment.id);
  }
  // Refunds go first, but a quarter of all slots stays for pending payments: their money may be taken.
  const auto most_refunds = options_.at_once - std::min(options_.at_once / 4, pending.size());
  const auto more_refunds = most_refunds - std::min(most_refunds, running_refunds_);
  Start(refunds, Slot::kRefund, std::min(more_refunds, options_.at_once - running_), due);
  Start(pending, Slot::kPending, options_.at_once - running_, due);
  // Payments that this scan did not find are settled, by another node or by the provider's callback.
  std::erase_if(attempts_, [this](const auto& each) {
    return each.second.slot == Slot::kNone && each.second.scan != scans_;
  });
  co_return due;
}

void SettlePayments::Start(Queue& queue, Slot slot, std::size_t most, std::vector<PaymentId>& due) {
  std::ranges::sort(queue);
  if (queue.size() > most) queue.resize(most);
  for (const auto& [next, id] : queue) {
    attempts_[id].slot = slot;
    ++running_;
    running_refunds_ += slot == Slot::kRefund ? 1 : 0;
    due.push_back(id);
  }
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
  auto& attempts = attempts_[id];
  --running_;
  running_refunds_ -= attempts.slot == Slot::kRefund ? 1 : 0;
  if (ended) {
    attempts_.erase(id);
    return;
  }
  attempts.slot = Slot::kNone;
  attempts.wait = std::clamp(attempts.wait * 2, options_.shortest_wait, options_.longest_wait);
  attempts.next = now + attempts.wait;
}

}  // namespace maejin
