// Bookings in one process: a concert lives in memory behind one short mutex (domain/booking/concert.h decides), and
// every change is a row of the journal before anybody hears of it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/booking_directory.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/sqlite.h"
#include "base/random.h"
#include "domain/ranking/ranking.h"
#include "store/booking_counters.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"

namespace maejin::embedded {

struct TransitBuffers;

class EmbeddedBookingStore final : public BookingStore, public BookingOperations {
 public:
  // All of them outlive the store.
  EmbeddedBookingStore(Journal& journal, AuditLog& audit, Random& random);
  ~EmbeddedBookingStore() override;

  // Reads everything back. Call once, before the first transition. Throws SqliteError where the rows
  // contradict each other (a seat in two living reservations): better no server than one that sells a seat
  // twice.
  void Load(Connection& connection, Time now);

  Task<Outcome<ConcertView>> CreateConcert(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                           Time now) override;
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                          Time now) override;
  Task<Outcome<ConcertView>> OpenConcert(ConcertId concert, Time now) override;

  Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const override;
  std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const override;
  std::optional<Stock> StockAtOnce(ConcertId concert) const override;
  Stock TotalStock() const override;
  Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const override;
  std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const override;
  Outcome<SeatsView> ReadSeats(ScheduleId schedule) const override;
  Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                      std::uint64_t version) const override;

  Task<Outcome<Reservation>> Hold(HoldRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindReservation(Claim claim, Time now) override;
  Task<Outcome<Reservation>> ExtendHold(Claim claim, Time now) override;
  Task<Outcome<Reservation>> Cancel(Claim claim, Time now) override;

  Task<Outcome<PaymentOutcome>> PayAtOnce(Claim claim, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> BeginPayment(Claim claim, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindPayment(PaymentId payment, Time now) override;
  Task<Outcome<PaymentOutcome>> RecordPayment(PaymentReport report, Time now) override;
  Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const override;

  void ExpireHolds(Time now) override;

  Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                        Operator who) override;
  Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                          Operator who) override;
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator who) override;
  Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, Date date, std::optional<Time> starts_at,
                                              Operator who) override;
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator who) override;
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator who) override;
  Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const override;

  // Counts what is decided from now on. Call before the first transition.
  void CountWith(BookingCounters& counters) { counters_ = &counters; }

  // Imported sell-outs bring ids of their own: makes sure that none is ever given to a concert or schedule here. kKnown:
  // the concert is one of ours; kScheduleTaken: a date of it is.
  Imported ClaimImported(ConcertId concert, std::span<const ScheduleSoldOut> schedules);

 private:
  // One concert and what may be asked about it without its lock.
  struct Sale;
  struct ScheduleEntry;
  struct ReservationPlace {
    Sale* sale;
    Concert::ReservationIndex index;
  };
  struct PaymentPlace {
    Sale* sale;
    Concert::PaymentIndex index;
  };
  // What a transition decided, and the ticket its answer waits for.
  template <class T>
  struct Decided {
    Outcome<T> outcome;
    Ticket ticket = 0;
  };
  // Waits for the disk where there is something to say; a refusal waits for nothing.
  template <class T>
  Task<Outcome<T>> WhenDurable(Decided<T> decided);

  Sale* FindSale(ConcertId concert) const;
  ScheduleEntry* FindEntry(ScheduleId schedule) const;
  Outcome<ReservationPlace> Find(const Claim& claim) const;

  // Runs `decide(concert, changes)` under the sale's lock, after what has expired by then, and journals the
  // changes.
  template <class Decide>
  auto Transit(Sale& sale, Time now, Decide&& decide);
  template <class Change>
  Decided<Reservation> ChangeReservation(const Claim& claim, Time now, Change&& change);
  Decided<PaymentOutcome> DecideReport(PaymentId id, const PaymentReport* report, Time now);
  // Call with the sale's lock held: rows, events and counters of what changed, then the public numbers.
  Ticket Write(Sale& sale, TransitBuffers& buffers);
  void WriteRecords(TransitBuffers& buffers);
  void WriteEvents(const Sale& sale, TransitBuffers& buffers);
  std::uint64_t NextEvent(WriteSet& rows);
  void Publish(Sale& sale);
  void Enter(std::unique_ptr<Sale> sale);
  void EnterSchedules(Sale& sale);
  PaymentOutcome OutcomeOf(const Sale& sale, Concert::ReservationIndex index) const;
  std::vector<Sale*> AllSales() const;

  Decided<ConcertView> DecideCreate(ConcertDetails details, const std::vector<SchedulePlan>& schedules,
                                    Time now);
  Decided<ConcertView> DecideAddSchedules(ConcertId id, const std::vector<SchedulePlan>& schedules, Time now);
  Decided<ConcertView> DecideOpen(ConcertId id, Time now);
  // Precondition: ids_mutex_ is held, and the concert's own.
  void AddDates(Concert& concert, const std::vector<SchedulePlan>& schedules, WriteSet& rows, Time now);
  // Runs `act(concert, buffers)` and writes its rows and events together with the audit row.
  template <class Act>
  Decided<ConcertView> Operate(Sale* sale, const Operator& who, const AuditEntry& entry, Act&& act);
  Decided<ConcertView> DecideSeats(ScheduleId id, const std::vector<SeatNumber>& seats, bool block,
                                   const Operator& who);
  Decided<ConcertView> DecidePostpone(ScheduleId id, Date date, std::optional<Time> starts_at,
                                      const Operator& who);
  Decided<Reservation> DecideHold(const HoldRequest& request, Time now);
  Decided<PaymentOutcome> DecideFind(const Claim& claim, Time now);
  Decided<PaymentOutcome> DecidePayment(const Claim& claim, const PaymentRequest& request, bool at_once,
                                        Time now);

  void LoadConcerts(Connection& connection);
  void LoadSchedules(Connection& connection, Time now);
  void LoadSoldOuts(Connection& connection);
  void LoadReservations(Connection& connection);
  void LoadPayments(Connection& connection);
  void LoadCounters(Connection& connection);

  Journal& journal_;
  AuditLog& audit_;
  Random& random_;
  BookingCounters* counters_ = nullptr;

  mutable std::shared_mutex registry_mutex_;
  std::map<ConcertId, std::unique_ptr<Sale>> sales_;  // guarded by registry_mutex_
  std::unordered_map<ScheduleId, std::unique_ptr<ScheduleEntry>>
      schedule_entries_;  // guarded by registry_mutex_

  Directory<ReservationPlace> reservations_;
  Directory<PaymentPlace> payments_;
  // Only while loading: row numbers, which payments name their reservation by.
  std::unordered_map<std::int64_t, ReservationPlace> loaded_;

  // Held from giving out a number until what has it can be found.
  std::mutex ids_mutex_;
  ConcertId next_concert_ = 1;    // guarded by ids_mutex_
  ScheduleId next_schedule_ = 1;  // guarded by ids_mutex_
  std::atomic<std::int64_t> next_reservation_{1};
  std::atomic<std::int64_t> next_payment_{1};

  // Held from numbering events to handing them to the journal: ids grow in the order of the commits.
  std::mutex events_mutex_;
  std::uint64_t next_event_ = 1;
  std::uint64_t event_limit_ = 1;  // ids below it are claimed on disk
};

}  // namespace maejin::embedded
