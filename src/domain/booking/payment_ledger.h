// The payments of one concert, in the order in which they began, and which of them are unsettled. Payments
// keep their addresses as long as the ledger.
#pragma once

#include <deque>
#include <set>
#include <vector>

#include "domain/booking/booking_changes.h"
#include "domain/booking/payment.h"

namespace maejin {

class PaymentLedger {
 public:
  using Index = std::uint32_t;

  const std::deque<Payment>& all() const { return payments_; }
  const Payment& at(Index index) const { return payments_[index]; }
  Payment& at(Index index) { return payments_[index]; }
  // The index of its reservation in the concert.
  std::uint32_t ReservationOf(Index index) const { return reservations_[index]; }
  // Payments that the worker must bring to their end: PENDING or REFUND_DUE at a provider.
  const std::set<Index>& unsettled() const { return unsettled_; }

  Index Add(Payment payment, std::uint32_t reservation) {
    const auto index = static_cast<Index>(payments_.size());
    payments_.push_back(std::move(payment));
    reservations_.push_back(reservation);
    Track(index);
    return index;
  }
  // Applies the transition table (payment.h). False: refused, and nothing changed.
  bool Apply(Index index, PaymentChange change, Time now, BookingChanges& changes) {
    const auto before = payments_[index].status;
    if (!ApplyChange(payments_[index], change, now)) return false;
    Changed(index, before, changes);
    return true;
  }
  // Call after a change of a payment. `before`: its status before the change.
  void Changed(Index index, PaymentStatus before, BookingChanges& changes) {
    const auto& payment = payments_[index];
    Track(index);
    changes.rows.push_back({&payment});
    if (before != payment.status && payment.status == PaymentStatus::kRefundDue)
      changes.refunds_due.push_back(&payment);
  }

 private:
  void Track(Index index) {
    const auto& payment = payments_[index];
    if (IsRecordedOnly(payment.provider)) return;
    if (IsUnsettled(payment)) {
      unsettled_.insert(index);
    } else {
      unsettled_.erase(index);
    }
  }

  std::deque<Payment> payments_;
  std::vector<std::uint32_t> reservations_;
  std::set<Index> unsettled_;
};

}  // namespace maejin
