// A concert on sale: its dates, their seats, the reservations on them and the payments of these. Decides
// every booking transition; the stores make it atomic and durable.
//
// Each transition checks in a fixed order, refuses with the first reason that holds and then changes nothing.
// BookingChanges lists what it changed: the rows to write and the facts to publish. Pure and
// single-threaded: no clock, no I/O, no lock. Reservations and payments keep their addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/booking/booking_changes.h"
#include "domain/booking/concert_dates.h"
#include "domain/booking/customer_tallies.h"
#include "domain/booking/payment_ledger.h"

namespace maejin {

class Concert : public ConcertDates {
 public:
  using ReservationIndex = std::uint32_t;
  using PaymentIndex = PaymentLedger::Index;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  using ConcertDates::ConcertDates;

  // --- reading
  const std::deque<Reservation>& reservations() const { return reservations_; }
  const Reservation& reservation(ReservationIndex index) const { return reservations_[index]; }
  const std::deque<Payment>& payments() const { return ledger_.all(); }
  const Payment& payment(PaymentIndex index) const { return ledger_.at(index); }
  ReservationIndex ReservationOf(PaymentIndex index) const { return ledger_.ReservationOf(index); }
  const std::set<PaymentIndex>& unsettled() const { return ledger_.unsettled(); }
  // The next moment at which ExpireDue() has something to do; Time::max() for never.
  Time NextDue() const;

  // --- the operator
  // No more holds; everything held is cancelled and everything paid refunded, some at each ExpireDue(), so
  // that no other customer waits. A cancelled date counts in no total. A repeated call changes nothing.
  void CancelAll();
  // Refuses: kScheduleNotFound.
  Outcome<Done> CancelSchedule(ScheduleId schedule);
  // Reservations stand; their progress moves to the new date, and the sale ends by the default again.
  // Refuses: kScheduleNotFound, kConcertCancelled.
  Outcome<Done> Postpone(ScheduleId schedule, const NewDate& to, Time now, BookingChanges& changes);

  // --- the customer
  // Refuses in this order: kScheduleNotFound, kIdempotencyMismatch (the key was used for other seats),
  // as CheckOnSale (booking_rules.h), kSoldOut, kSeatNotFound, kSeatTaken, kSeatHeld, kTooManyRequests
  // (cool-down), kTooManySeats. A repeated request, recognised by
  // its key, gets the reservation that the first one made.
  Outcome<ReservationIndex> Hold(const HoldRequest& request, const NewReservation& made, Time now,
                                 BookingChanges& changes);
  // Moves the deadline once, by the concert's hold time. Refuses: kHoldExpired (no longer HELD),
  // kAlreadyExtended.
  Outcome<Done> Extend(ReservationIndex index, Time now, BookingChanges& changes);
  // A hold is exclusive while now < expires_at, and ends at its deadline. Ends at most `limit` holds; more
  // may be due then (NextDue).
  void ExpireDue(Time now, std::size_t limit, BookingChanges& changes);
  // Cancels an unpaid reservation, or refunds a paid one; a repeated call changes nothing. Refuses:
  // kHoldExpired.
  Outcome<Done> Cancel(ReservationIndex index, EndReason reason, Time now, BookingChanges& changes);

  // --- money
  // Intent and assignment in one step, for money that maejin itself records. Paid before with the same
  // amount: nothing more. Refuses: kHoldExpired, kAmountMismatch, kAlreadyPaying (a provider has a payment
  // under way).
  Outcome<Done> PayAtOnce(ReservationIndex index, const PaymentRequest& request, const NewPayment& made,
                          Time now, BookingChanges& changes);
  // The durable intent before a provider is asked; the reservation is PAYING until its deadline. Where a
  // payment is under way, returns that one. kNone: it was paid before. Refuses: kHoldExpired,
  // kAmountMismatch.
  Outcome<PaymentIndex> BeginPayment(ReservationIndex index, const PaymentRequest& request,
                                     const NewPayment& made, Time now, BookingChanges& changes);
  // Applies a report about a payment. A report that is stale, or that the transition table (payment.h)
  // refuses, changes nothing. kCaptured: the seats are assigned if the hold is valid, or, after its deadline,
  // if all of them are still available; otherwise the refund is due. kDeclined: the hold continues until its
  // deadline. kAbandoned: refused while the hold is valid; afterwards no capture assigns seats.
  void RecordPayment(PaymentIndex index, const PaymentReport& report, Time now, BookingChanges& changes);

  // --- loading what was written before, in the order of the numbers
  // After everything is restored: goes on with cancellations that were under way.
  void ResumeCancelling();
  // False where a seat belongs to another living reservation or does not exist: the data is damaged.
  bool Restore(Reservation reservation);
  void Restore(Payment payment, ReservationIndex reservation);

 private:
  friend struct ConcertUpkeep;

  struct Deadline {
    Time at;
    ReservationIndex reservation;
    bool operator>(const Deadline& other) const { return at > other.at; }
  };

  void EndCancelled(std::size_t limit, Time now, BookingChanges& changes);
  void End(Reservation& reservation, ReservationStatus status, EndReason reason, Time now,
           BookingChanges& changes);
  void Assign(PaymentIndex payment, Time now, BookingChanges& changes);
  void FindSoldOuts(Schedule& schedule, Reservation& last, BookingChanges& changes);
  void Capture(PaymentIndex index, Time now, BookingChanges& changes);

  Time last_paid_at_{};
  // Reservations before it were visited since the last cancellation; SIZE_MAX: no cancellation is under way.
  std::size_t cancelling_ = SIZE_MAX;
  std::deque<Reservation> reservations_;
  PaymentLedger ledger_;
  CustomerTallies tallies_{details_};
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::unordered_map<std::string, ReservationIndex> by_key_;  // user, NUL, idempotency key
};

}  // namespace maejin
