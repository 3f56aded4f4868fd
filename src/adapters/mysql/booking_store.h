// Bookings on MariaDB or MySQL, for any number of nodes: the database decides, row by row, and each node
// keeps a mirror for reading.
//
// Every transition is one transaction of guarded statements: each changes only rows in the expected state
// and counts them. If a row is missing, the transaction is rolled back. A sell-out is detected by counting
// down the unpaid seats of a shard, the open shards of the schedule and the open schedules of the concert.
// The counts are exact, and thousands of payments a second do not contend for one row. A refusal that needs
// no row ("sold out", "seat held") comes from the mirror and may be a tenth of a second old; seats are given
// by the database only. Holds of named seats, and payments, that arrive together share a transaction
// (shared_write.h).
//
// Parts: booking_reads.h (mirror and reads), hold_writer.h, payment_writer.h, reservation_writer.h (ends and
// extensions), operator_actions.h, outage_clock.h; concerts are created in booking_concerts.cpp.
#pragma once

#include <mutex>
#include <set>

#include "adapters/mysql/hold_writer.h"
#include "adapters/mysql/operator_actions.h"
#include "adapters/mysql/payment_writer.h"

namespace maejin::mysql {

class MysqlBookingStore final : public OperatorActions {
 public:
  // `pool` and `random` outlive the store; the schema is up to date (migrations.h).
  MysqlBookingStore(Pool& pool, Random& random);

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
  Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const override;

  // Blocks until all due holds are released, or the database does not answer. Also ends reservations of
  // cancelled dates.
  void ExpireHolds(Time now) override;

 private:
  HoldWriter holds_;
  PaymentWriter payments_;
  std::mutex openings_mutex_;
  std::set<ConcertId> recorded_openings_;  // guarded by openings_mutex_
};

}  // namespace maejin::mysql
