// The rules of booking, each written once: pure functions over requests, reservations and payments. Every
// store reads its records under its own lock, calls the rule, and writes its result.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "domain/booking/booking_requests.h"
#include "domain/booking/limits.h"
#include "domain/booking/payment.h"
#include "domain/booking/reservation.h"
#include "domain/booking/seat_map.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

// --- the sale
// What decides whether seats of one date may be held.
struct SaleWindow {
  bool cancelled = false;  // the concert, or the date
  bool closed = false;     // the concert
  std::optional<Time> concert_opens_at = {};
  std::optional<Time> date_opens_at = {};  // the date's own opening
  Time date_created_at{};
  Time sales_end_at = Time::max();
};
// When the sale of a date starts: at the date's own opening, else at the concert's. A date that was added
// after the concert's opening starts at its creation. Precondition: the concert has an opening.
Time StartOf(const SaleWindow& window);
// Refuses in this order: kConcertCancelled, kConcertClosed, kNotOpen, kSalesEnded.
Outcome<Done> CheckOnSale(const SaleWindow& window, Time now);

// The details of a concert after an operator's change. `life`: the concert's life after the change. A new
// opening may be refused: kConcertCancelled, kConcertClosed, kAlreadyOpen.
Outcome<ConcertDetails> Changed(ConcertDetails details, const ConcertPatch& patch, std::int64_t life,
                                const SaleWindow& window, Time now);

// --- holding
// The seats that a hold takes, ascending. Refuses in this order: kInvalidField (the date has no such
// section), kSoldOut, kSeatNotFound, kSeatTaken, kSeatHeld.
Outcome<std::vector<SeatNumber>> ChooseSeats(const SeatMap& seats, const HoldRequest& request);
// Whether the request repeats the one that made `before`, which was found by its idempotency key.
bool IsAnswerTo(const HoldRequest& request, const Reservation& before);

struct NewReservation {
  ReservationId id;
  std::int64_t number = 0;
};
Reservation MakeReservation(const HoldRequest& request, const NewReservation& made, ConcertId concert,
                            const ConcertDetails& details, const SeatLayout& layout,
                            std::vector<SeatNumber> seats, Time now);

// Moves the deadline once. Refuses: kHoldExpired (no longer held), kAlreadyExtended.
Outcome<Done> ExtendDeadline(Reservation& reservation, Seconds by, Time now);
// The status after a cancellation: CANCELLED for an unpaid reservation, REFUNDED for a paid one. Absent: the
// reservation was cancelled before, and nothing changes. Refuses: kHoldExpired.
Outcome<std::optional<ReservationStatus>> StatusAfterCancel(const Reservation& reservation);

// --- money
enum class Payable {
  kNow,
  kPaidBefore,  // with the same amount: nothing more to pay
  kUnderWay,    // a payment at a provider is PENDING
};
// Refuses: kConcertCancelled (`cancelled`: the concert or its date), kHoldExpired, kAmountMismatch, and
// kAlreadyPaying (the request is for "instant" money, and a payment at a provider is PENDING).
Outcome<Payable> CheckPayable(const Reservation& reservation, const PaymentRequest& request, bool cancelled,
                              Time now);

struct NewPayment {
  PaymentId id;
  std::int64_t number = 0;
};
Payment MakePayment(const Reservation& reservation, const PaymentRequest& request, const NewPayment& made,
                    Time now);

// The time of a payment. Clocks of nodes differ, so the result is at least the last one of the concert and at
// least the opening.
Time PaidAt(const SaleWindow& window, Time last_paid_at, Time now);
// Sets the reservation to CONFIRMED and the payment to CAPTURED, in the transition that assigns the seats.
// Precondition: the transition table allows the capture.
void Confirm(Reservation& reservation, Payment& payment, Time paid_at);

// A report about a payment: from its provider, or from the worker that abandons it.
struct PaymentReport {
  PaymentId payment;
  // A report of captured money is always kCaptured: the store checks whether the seats are still available.
  PaymentChange change = PaymentChange::kCaptured;
  // The payment as it was read before the provider was asked. If the payment has changed since then, the
  // report is stale and refused.
  std::optional<Payment> seen = {};
};
bool IsStale(const PaymentReport& report, const Payment& current);

// What captured money gets.
enum class CaptureResult {
  kHeldSeats,       // the hold is valid, and the payment is its newest
  kAvailableSeats,  // the hold expired: the money gets its seats if all of them are available
  kRefund,
};
CaptureResult ResultOfCapture(const Reservation& reservation, const Payment& payment, bool newest, Time now);
// Applies a report that is not a capture to both records. Returns which records changed.
struct ReportChanges {
  bool payment = false;
  bool reservation = false;
};
ReportChanges ApplyReport(const PaymentReport& report, Reservation& reservation, Payment& payment,
                          bool newest, Time now);

}  // namespace maejin
