// Settles payments whose request has ended, also after a restart. Decides which payments are due, how many
// are in flight, and when to retry.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "usecase/advance_payment.h"

namespace maejin {

struct SettleOptions {
  // Younger payments are left to their own request.
  Millis grace{11'000};
  // Delay between two attempts at one payment; doubles with each attempt.
  Millis shortest_wait{500};
  Millis longest_wait{10'000};
  // Maximum number of payments in flight.
  std::size_t at_once = 16;
  // Maximum number of refunds, and of pending payments, per scan; oldest first.
  std::size_t most = 10'000;
};

// Thread-safe. The references outlive it.
class SettlePayments {
 public:
  SettlePayments(BookingStore& bookings, AdvancePayment& advance, const Clock& clock,
                 SettleOptions options = {})
      : bookings_(bookings), advance_(advance), clock_(clock), options_(options) {}

  // Payments to settle now; pass each to Settle() once. Refunds come first, but leave a quarter of the slots
  // to pending payments; each in the order of their retry times, so that none waits for ever. Omits payments
  // before their retry time, payments beyond `at_once`, and pending payments of a provider that cannot be
  // asked. Empty if the store does not answer.
  Task<std::vector<PaymentId>> Due();

  // One attempt. Never fails: an unsettled payment becomes due again later.
  Task<Done> Settle(PaymentId id);

  // Number of unsettled payments that the last Due() found.
  std::size_t unsettled() const { return unsettled_.load(std::memory_order_relaxed); }

 private:
  // Why a payment is in flight.
  enum class Slot : std::uint8_t { kNone, kRefund, kPending };
  struct Attempts {
    Time next{};
    Millis wait{0};
    Slot slot = Slot::kNone;
    std::uint64_t scan = 0;  // the last Due() that found the payment
  };
  // Payments that are due, with the time since which they are.
  using Queue = std::vector<std::pair<Time, PaymentId>>;
  // Moves at most `most` payments of the queue to `due`. Precondition: mutex_ is held.
  void Start(Queue& queue, Slot slot, std::size_t most, std::vector<PaymentId>& due);
  void RecordAttempt(PaymentId id, bool ended);

  BookingStore& bookings_;
  AdvancePayment& advance_;
  const Clock& clock_;
  const SettleOptions options_;
  std::atomic<std::size_t> unsettled_{0};

  std::mutex mutex_;
  std::unordered_map<PaymentId, Attempts> attempts_;  // guarded by mutex_
  std::size_t running_ = 0;                           // guarded by mutex_
  std::size_t running_refunds_ = 0;                   // guarded by mutex_; a part of running_
  std::uint64_t scans_ = 0;                           // guarded by mutex_
};

}  // namespace maejin
