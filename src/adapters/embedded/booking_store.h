// Bookings in one process: a concert lives in memory behind one short mutex (domain/booking/concert.h
// decides), and every change is a row of the journal before it is answered.
//
// Parts: sale_registry.h (finds things by id), sale_journal.h (makes transitions durable), booking_reads.h,
// operator_actions.h, booking_loading.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/operator_actions.h"
#include "adapters/embedded/sqlite.h"
#include "base/random.h"
#include "domain/ranking/ranking.h"
#include "store/booking_counters.h"

namespace maejin::embedded {

class EmbeddedBookingStore final : public OperatorActions {
 public:
  // Journal, audit log and random outlive the store. If no call and no tick comes for `pause_after`, the
  // process was paused, and holds are extended by the pause. Absent: time may jump (tests).
  EmbeddedBookingStore(Journal& journal, AuditLog& audit, Random& random,
                       std::optional<Millis> pause_after = {})
      : OperatorActions(journal, audit, pause_after), random_(random) {}

  // Loads all rows. Call once, before the first transition. Throws SqliteError if the rows contradict each
  // other (a seat in two living reservations): a server must not start with a seat sold twice.
  void Load(Connection& connection, Time now);

  Task<Outcome<ConcertView>> CreateConcert(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                           Operator actor) override;
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                          Operator actor) override;
  Task<Outcome<ConcertView>> OpenConcert(ConcertId concert, Operator actor) override;

  Task<Outcome<Reservation>> Hold(HoldRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindReservation(ReservationRef ref, Time now) override;
  Task<Outcome<Reservation>> ExtendHold(ReservationRef ref, Time now) override;
  Task<Outcome<Reservation>> Cancel(ReservationRef ref, Time now) override;

  Task<Outcome<PaymentOutcome>> PayAtOnce(ReservationRef ref, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> BeginPayment(ReservationRef ref, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindPayment(PaymentId payment, Time now) override;
  Task<Outcome<PaymentOutcome>> RecordPayment(PaymentReport report, Time now) override;

  void ExpireHolds(Time now) override;

  // Counts all later decisions in `counters`. Call before the first transition.
  void CountWith(BookingCounters& counters) { journal_.CountWith(counters); }

  // Reserves the ids of an imported sell-out, so that the server never assigns them. kKnown: this server has
  // a concert with the id. kScheduleTaken: this server has a date with one of the ids.
  Imported ReserveImported(ConcertId concert, std::span<const ScheduleSoldOut> schedules);

 private:
  friend class EmbeddedPersonStore;  // renames users in all sales

  Random& random_;
};

}  // namespace maejin::embedded
