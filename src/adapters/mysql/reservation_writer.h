// Ends and extends reservations: by the customer, by the deadline, or by the cancellation of the date. One
// path ends n ≥ 1 reservations.
#pragma once

#include <vector>

#include "adapters/mysql/booking_context.h"
#include "store/booking_operations.h"

namespace maejin::mysql {

// Thread-safe. `context` outlives it.
class ReservationWriter {
 public:
  explicit ReservationWriter(BookingContext& context) : context_(context) {}

  Task<Outcome<Reservation>> Extend(ReservationRef ref, Time now);
  Task<Outcome<Reservation>> Cancel(ReservationRef ref, Time now);
  // The same by an operator, with a row in the audit log.
  Task<Outcome<PaymentOutcome>> CancelByOperator(ReservationId reservation, std::string reason,
                                                 Operator actor);
  // Ends expired holds, and some reservations of cancelled dates. Blocks until none is left, or the database
  // does not answer. Nodes share the work: each skips rows that another node has locked.
  void EndDue(Time now);

 private:
  struct Ending {
    Reservation reservation;
    ReservationStatus status;
  };

  // Cancels all living reservations; paid ones are refunded.
  static void CancelAll(Connection& connection, std::vector<Reservation> reservations, EndReason reason,
                        Time now, MirrorChanges& changes);
  // Writes the ends of n ≥ 1 reservations: rows, seats, counts, progress and events. One statement per table,
  // so that locks are held briefly.
  static void End(Connection& connection, std::vector<Ending> endings, EndReason reason, Time now,
                  MirrorChanges& changes);
  // True: more may be left.
  bool ExpireSome(Time now);
  bool EndSomeCancelled(Time now);

  BookingContext& context_;
};

}  // namespace maejin::mysql
