// Payments in the database: intents, assignment of seats, reports of providers, and the payment of the last
// seat.
//
// Decide() and Settle() handle one or more payments. A payment is decided alone if it sells out a date, or if
// another transaction changed its seats. So is the second payment of one reservation in a batch.
#pragma once

#include <map>
#include <vector>

#include "adapters/mysql/booking_context.h"
#include "adapters/mysql/booking_seats.h"
#include "adapters/mysql/shared_write.h"
#include "domain/event.h"

namespace maejin::mysql {

// Thread-safe. `context` outlives it.
class PaymentWriter {
 public:
  explicit PaymentWriter(BookingContext& context);

  // Writes the intent and assigns the seats in one transaction, for money that maejin only records.
  Task<Outcome<PaymentOutcome>> PayAtOnce(ReservationRef ref, PaymentRequest request, Time now);
  // Writes the intent of a payment at a provider.
  Task<Outcome<PaymentOutcome>> Begin(ReservationRef ref, PaymentRequest request, Time now);
  Task<Outcome<PaymentOutcome>> Record(PaymentReport report, Time now);
  Task<Outcome<PaymentOutcome>> Find(PaymentId id) const;

 private:
  // A request with the id its payment will have: the same in every attempt.
  struct Order {
    ReservationRef ref;
    PaymentRequest request;
    PaymentId id;
    Time now;
  };
  using Batch = SharedWrite<Order, Outcome<Decided<PaymentOutcome>>>;
  // One payment whose seats are to be assigned.
  struct Pick {
    Batch::Member* member;  // null: not in a batch
    SaleOf sale;
    Reservation reservation;
    Payment payment;
    Time now;
  };

  // Decides one or more members. A single member always gets an outcome. False: no member is decided, and the
  // caller rolls back.
  bool Decide(Connection& connection, const Batch::Members& members);
  // Locks the reservations, answers members that have nothing to write, and returns the others.
  std::vector<Pick> PickMembers(Connection& connection, const Batch::Members& members) const;
  // Writes payments, reservations, counts and sold-outs of `picks`, and fills `decided`. Precondition: this
  // transaction moved their seats from state `from` to ASSIGNED. False: several payments together sell out a
  // date; the caller rolls back.
  bool Settle(Connection& connection, std::vector<Pick>& picks, SeatState from,
              std::vector<Decided<PaymentOutcome>>& decided) const;
  static void WriteRecords(Connection& connection, std::vector<Pick>& picks, SeatState from, Time paid_at);
  static void FindSoldOuts(Connection& connection, Pick& last, bool concert_sold_out, MirrorChanges& changes,
                           std::vector<EventDraft>& events);
  Outcome<Decided<PaymentOutcome>> DecideBegin(Connection& connection, const Order& order) const;
  Outcome<Decided<PaymentOutcome>> DecideReport(Connection& connection, const PaymentReport& report,
                                                Time now) const;
  // The provider has the money: assigns the seats, or makes the refund due.
  Decided<PaymentOutcome> Capture(Connection& connection, Reservation reservation, Payment payment,
                                  bool newest, Time now) const;
  // Takes the seats for captured money. False: they are not available.
  bool TakeSeats(Connection& connection, CaptureResult result, Reservation& reservation, Time now) const;

  BookingContext& context_;
  Batch batch_;
};

}  // namespace maejin::mysql
