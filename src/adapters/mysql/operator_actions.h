// The operators' half of the booking store: each action and its row in the audit log are one transaction.
#pragma once

#include <string>
#include <vector>

#include "adapters/mysql/booking_reads.h"
#include "adapters/mysql/reservation_writer.h"
#include "store/booking_operations.h"

namespace maejin::mysql {

class OperatorActions : public BookingReads, public BookingOperations {
 public:
  OperatorActions(Pool& pool, Random& random) : BookingReads(pool, random), reservations_(context_) {}

  Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                        Operator actor) override;
  Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                          Operator actor) override;
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator actor) override;
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, NewDate to, Operator actor) override;
  Task<Outcome<ConcertView>> ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                            Operator actor) override;
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> ReopenConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> ChangeConcert(ConcertId concert, ConcertPatch patch, Operator actor) override;
  Task<Outcome<PaymentOutcome>> CancelReservation(ReservationId reservation, std::string reason,
                                                  Operator actor) override;
  Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const override;

 protected:
  ReservationWriter reservations_;
};

}  // namespace maejin::mysql
