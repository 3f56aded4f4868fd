// Changes of a concert that are no booking transition: longer deadlines after a pause of the process, new
// names of erased users, and derived fields.
#pragma once

#include "domain/booking/concert.h"

namespace maejin {

struct ConcertUpkeep {
  // Extends unpaid holds by the pause of the process.
  static void ExtendDeadlines(Concert& concert, Millis by, BookingChanges& changes);
  // Replaces the user of a reservation, and forgets the idempotency key of its hold.
  static void Rename(Concert& concert, Concert::ReservationIndex index, const UserId& pseudonym);
  // Moves the counts of a user whose reservations were all renamed.
  static void RenameCounts(Concert& concert, const UserId& user, const UserId& pseudonym);
  // Call after each change of the reservation's newest payment.
  static void SetRefundDue(const Concert& concert, Reservation& reservation);
};

}  // namespace maejin
