// Brings payments that nobody is at to their end, also after a restart: which of them are due, how many at
// once, and when to try again.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "usecase/advance_payment.h"

namespace maejin {

struct SettleOptions {
  // Payments younger than this are in their own request's hands.
  Millis grace{11'000};
  // Between two attempts at one payment; each is twice as long as the one before.
  Millis shortest_wait{500};
  Millis longest_wait{10'000};
  // Payments under way at the same time.
  std::size_t at_once = 16;
  // The oldest ones that are looked at.
  std::size_t most = 10'000;
};

// Thread-safe. The references outlive it.
class SettlePayments {
 public:
  SettlePayments(BookingStore& bookings, AdvancePayment& advance, const Clock& clock,
                 SettleOptions options = {})
      : bookings_(bookings), advance_(advance), clock_(clock), options_(options) {}

  // Payments to settle now, each to be given to Settle() once. Others are left out until their time has come,
  // or until those under way have ended. None while the store does not answer: then everything stays as it
  // was.
  Task<std::vector<PaymentId>> Due();

  // One attempt. Never fails: what does not come to an end is due again later.
  Task<Done> Settle(PaymentId id);

  // Payments that Due() found last, whether or not their time had come.
  std::size_t unsettled() const { return unsettled_.load(std::memory_order_relaxed); }

 private:
  struct Attempts {
    Time next{};
    Millis wait{0};
    bool running = false;
    std::uint64_t look = 0;  // the last Due() that found it
  };
  void Note(PaymentId id, bool ended);

  BookingStore& bookings_;
  AdvancePayment& advance_;
  const Clock& clock_;
  const SettleOptions options_;
  std::atomic<std::size_t> unsettled_{0};

  std::mutex mutex_;
  std::unordered_map<PaymentId, Attempts> attempts_;  // guarded by mutex_
  std::size_t running_ = 0;                           // guarded by mutex_
  std::uint64_t looks_ = 0;                           // guarded by mutex_
};

}  // namespace maejin
