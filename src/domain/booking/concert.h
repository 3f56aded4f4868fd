// A concert on sale: its dates, their seats, the reservations of these seats, and the payments. The class
// decides every booking transition; the stores make a transition atomic and durable.
//
// Each transition makes its checks in a fixed order. The first check that fails refuses it, and nothing
// changes. BookingChanges lists what a transition changed: the rows to write and the facts to publish. Pure
// and single-threaded: no clock, no I/O, no lock. Reservations and payments keep their addresses.
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
  // Stops new holds. Each ExpireDue() then cancels or refunds a limited number of reservations, so that no
  // request waits for all of them. A cancelled date counts in no total. A repeated call changes nothing.
  void CancelAll();
  // Refuses: kScheduleNotFound.
  Outcome<Done> CancelSchedule(ScheduleId schedule);
  // Moves a schedule to another date. Its reservations stay valid, and their progress moves to the new date.
  // The end of the sale is the default again (SalesEndOf). Refuses: kScheduleNotFound, kConcertCancelled.
  Outcome<Done> Postpone(ScheduleId schedule, const NewDate& to, Time now, BookingChanges& changes);

  // --- the customer
  // Refuses in this order: kScheduleNotFound, kIdempotencyMismatch (the key was used for other seats), as
  // CheckOnSale and ChooseSeats (booking_rules.h), kTooManyRequests (cool-down), kTooManySeats. A repeated
  // request, recognised by its key, gets the reservation that the first one made.
  Outcome<ReservationIndex> Hold(const HoldRequest& request, const NewReservation& made, Time now,
                                 BookingChanges& changes);
  // Moves the deadline once, by the concert's hold time. Refuses: kHoldExpired (no longer HELD),
  // kAlreadyExtended.
  Outcome<Done> Extend(ReservationIndex index, Time now, BookingChanges& changes);
  // Ends holds at their deadline (a hold is exclusive while now < expires_at), and continues cancellations.
  // It ends at most `limit` reservations of each kind; NextDue() says whether more are due.
  void ExpireDue(Time now, std::size_t limit, BookingChanges& changes);
  // Cancels an unpaid reservation, or refunds a paid one; a repeated call changes nothing. Refuses:
  // kHoldExpired.
  Outcome<Done> Cancel(ReservationIndex index, EndReason reason, Time now, BookingChanges& changes);

  // --- money
  // Adds a payment and assigns the seats in one step, for money that only maejin records. A reservation that
  // was paid before is not changed. Refuses as CheckPayable (booking_rules.h).
  Outcome<Done> PayAtOnce(ReservationIndex index, const PaymentRequest& request, const NewPayment& made,
                          Time now, BookingChanges& changes);
  // Records the intent before a provider is asked; the reservation is PAYING until its deadline. If a payment
  // is PENDING already, returns that payment. kNone: the reservation was paid before. Refuses as CheckPayable
  // (booking_rules.h).
  Outcome<PaymentIndex> BeginPayment(ReservationIndex index, const PaymentRequest& request,
                                     const NewPayment& made, Time now, BookingChanges& changes);
  // Applies a report about a payment. A report that is stale, or that the transition table (payment.h)
  // refuses, changes nothing. kCaptured: the seats are assigned if the hold is valid, or, after its deadline,
  // if all of them are still available; otherwise the refund is due. kDeclined: the hold continues until its
  // deadline. kAbandoned: refused while the hold is valid; otherwise a later capture assigns no seats.
  void RecordPayment(PaymentIndex index, const PaymentReport& report, Time now, BookingChanges& changes);

  // --- loading what was written before, in the order of the numbers
  // Call after everything is restored: continues cancellations that were under way at the restart.
  void ResumeCancelling();
  // False: the stored data is damaged. The schedule or a seat does not exist, or a seat belongs to another
  // living reservation.
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
  // The index of the reservation that EndCancelled() visits next; SIZE_MAX: no cancellation is under way.
  std::size_t cancelling_ = SIZE_MAX;
  std::deque<Reservation> reservations_;
  PaymentLedger ledger_;
  CustomerTallies tallies_{details_};
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::unordered_map<std::string, ReservationIndex> by_key_;  // user, NUL, idempotency key
};

}  // namespace maejin
