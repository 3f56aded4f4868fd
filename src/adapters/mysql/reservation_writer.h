// Extends holds, and ends reservations: for the customer or an operator, at the deadline, or because the date
// was cancelled. End() ends one or more reservations.
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
  // Cancels the reservation for an operator, with a row in the audit log.
  Task<Outcome<PaymentOutcome>> CancelByOperator(ReservationId reservation, std::string reason,
                                                 Operator actor);
  // Ends expired holds and the reservations of cancelled dates. Blocks until none is left, or the database
  // does not answer. Nodes share the work: each node skips rows that another node has locked.
  void EndDue(Time now);

 private:
  struct Ending {
    Reservation reservation;
    ReservationStatus status;
  };

  // Cancels all living reservations; paid ones are refunded.
  static void CancelAll(Connection& connection, std::vector<Reservation> reservations, EndReason reason,
                        Time now, MirrorChanges& changes);
  // Writes the ends of one or more reservations: rows, seats, counts, progress and events. Reservations share
  // statements, so that locks are held briefly.
  static void End(Connection& connection, std::vector<Ending> endings, EndReason reason, Time now,
                  MirrorChanges& changes);
  // True: more may be left.
  bool ExpireSome(Time now);
  bool EndSomeCancelled(Time now);

  BookingContext& context_;
};

}  // namespace maejin::mysql
