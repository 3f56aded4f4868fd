// The operators' half of the booking store: actions on concerts in memory, each with a row in the audit log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/embedded/booking_reads.h"
#include "adapters/embedded/sale_journal.h"
#include "store/booking_operations.h"

namespace maejin::embedded {

class OperatorActions : public BookingReads, public BookingOperations {
 public:
  // The parameters are those of EmbeddedBookingStore.
  OperatorActions(Journal& journal, AuditLog& audit, std::optional<Millis> pause_after)
      : journal_(journal, audit, pause_after) {}

  std::optional<std::uint64_t> CatalogueVersionAtOnce() const override { return journal_.actions(); }
  std::vector<ConcertChange> ListChanges(ConcertId after, std::size_t limit) const override;
  Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                        Operator actor) override;
  Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                          Operator actor) override;
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator actor) override;
  Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, NewDate to, Operator actor) override;
  Task<Outcome<ConcertView>> ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                            Operator actor) override;
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> ReopenConcert(ConcertId concert, Operator actor) override;
  Task<Outcome<ConcertView>> ChangeConcert(ConcertId concert, ConcertPatch patch, Operator actor) override;
  Task<Outcome<PaymentOutcome>> CancelReservation(ReservationId reservation, std::string reason,
                                                  Operator actor) override;
  Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const override;

 protected:
  SaleJournal journal_;
};

}  // namespace maejin::embedded
