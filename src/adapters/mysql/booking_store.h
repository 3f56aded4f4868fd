// Bookings on MariaDB or MySQL, for as many nodes as like: the database decides, row by row, and each node
// keeps a mirror for reading.
//
// Every transition is one transaction of guarded statements: it takes the rows that are as they must be,
// counts them, and is rolled back where one is missing. What sells the last seat is found by counting down
// groups of seats, then the schedule's open groups, then the concert's open schedules: exact, and thousands
// of payments a second do not meet in one row. A refusal that needs no row ("sold out", "somebody has that
// seat") comes from the mirror and may be a tenth of a second old; "yours" comes from the database only.
// Holds of chosen seats, and payments, that come at the same time share a transaction (shared_write.h).
#pragma once

#include <atomic>
#include <mutex>

#include "adapters/mysql/booking_mirror.h"
#include "adapters/mysql/booking_seats.h"
#include "adapters/mysql/pool.h"
#include "adapters/mysql/shared_write.h"
#include "base/random.h"
#include "store/booking_counters.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"

namespace maejin::mysql {

class MysqlBookingStore final : public BookingStore, public BookingOperations {
 public:
  // `pool` and `random` outlive the store; the schema is up to date (migrations.h).
  MysqlBookingStore(Pool& pool, Random& random);

  // Counts what is decided from now on. Call before the first transition.
  void CountWith(BookingCounters& counters) { counters_ = &counters; }

  // Fills the mirror. Call once, before anything else. Refuses: kUnavailable.
  Outcome<Done> Load(Time now);
  // Brings the mirror up to date with what other nodes did. Blocks.
  void Refresh();
  // The same in small steps: dates that move now at every call, the rest every half second. Call about ten times a
  // second, from one thread.
  void RefreshOften();

  Task<Outcome<ConcertView>> CreateConcert(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                           Time now) override;
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                          Time now) override;
  Task<Outcome<ConcertView>> OpenConcert(ConcertId concert, Time now) override;

  Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const override {
    return mirror_.Find(concert, now);
  }
  std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const override {
    return mirror_.List(after, limit, now);
  }
  std::optional<Stock> StockAtOnce(ConcertId concert) const override { return mirror_.StockOf(concert); }
  Stock TotalStock() const override { return mirror_.TotalStock(); }
  Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const override {
    return mirror_.OnSale(schedule, now);
  }
  std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const override {
    return mirror_.SeatsVersion(schedule);
  }
  Outcome<SeatsView> ReadSeats(ScheduleId schedule) const override { return mirror_.Seats(schedule); }
  Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                      std::uint64_t version) const override {
    return mirror_.Changes(schedule, version);
  }

  Task<Outcome<Done>> LookForConcert(ConcertId concert) override;
  Task<Outcome<Done>> LookForSchedule(ScheduleId schedule) override;

  Task<Outcome<Reservation>> Hold(HoldRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindReservation(Claim claim, Time now) override;
  Task<Outcome<Reservation>> ExtendHold(Claim claim, Time now) override;
  Task<Outcome<Reservation>> Cancel(Claim claim, Time now) override;

  Task<Outcome<PaymentOutcome>> PayAtOnce(Claim claim, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> BeginPayment(Claim claim, PaymentRequest request, Time now) override;
  Task<Outcome<PaymentOutcome>> FindPayment(PaymentId payment, Time now) override;
  Task<Outcome<PaymentOutcome>> RecordPayment(PaymentReport report, Time now) override;
  Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const override;

  // Blocks until what is due is released, or the database does not answer. Also ends, a part at a time, what is on
  // cancelled dates. After an outage holds go on where they stopped.
  void ExpireHolds(Time now) override;

  Task<Outcome<ConcertView>> BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                        Operator who) override;
  Task<Outcome<ConcertView>> UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                          Operator who) override;
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, Operator who) override;
  Task<Outcome<ConcertView>> CancelConcert(ConcertId concert, Operator who) override;
  Task<Outcome<ConcertView>> PostponeSchedule(ScheduleId schedule, Date date, std::optional<Time> starts_at,
                                              Operator who) override;
  Task<Outcome<ConcertView>> CloseConcert(ConcertId concert, Operator who) override;
  Task<Outcome<std::vector<Reservation>>> ListReservations(ReservationFilter filter) const override;

 private:
  // What a transaction did, for the mirror: told after the commit.
  struct Changes {
    std::vector<SeatsMoved> moved;
    std::vector<ShardSnapshot> snapshots;
    struct SoldOut {
      ConcertId concert;
      ScheduleId schedule;
      Time at;
      bool whole_concert;
    };
    std::vector<SoldOut> sold_outs;
    std::shared_ptr<const ConcertRecord> concert;
    struct Counted {
      Reservation reservation;
      bool added = false;
    };
    std::vector<Counted> counted;
    ConcertId paid_concert = 0;
    Time paid_at{};
  };
  template <class T>
  struct Decided {
    T value;
    Changes changes;
  };
  // What a customer wants, with the id it will have: the same in every try.
  struct HoldTry {
    HoldRequest request;
    ReservationId id;
    Time now;
  };
  struct PaymentTry {
    Claim claim;
    PaymentRequest request;
    PaymentId id;
    Time now;
  };
  using SharedHolds = SharedWrite<HoldTry, Outcome<Decided<Reservation>>>;
  using SharedPayments = SharedWrite<PaymentTry, Outcome<Decided<PaymentOutcome>>>;
  // One of several customers who are decided together.
  struct HoldPick;
  struct PaymentPick;
  // What the statements of a payment need to know of the sale.
  struct SaleOf {
    std::shared_ptr<const ConcertRecord> concert;
    std::shared_ptr<const ScheduleRecord> schedule;
  };

  template <class T>
  Task<Outcome<T>> Told(Task<Outcome<Decided<T>>> deciding);
  template <class T, class Work>
  Task<Outcome<T>> Transit(Work work) {
    return Told<T>(pool_.Write(std::move(work)));
  }
  // A hold that seems to be over is looked at once more when the lost time was given: the first customer after the database came
  // back may be quicker than the tick that gives it to everybody. `decide()` begins a try.
  template <class T, class Decide>
  Task<Outcome<T>> ToldInTime(Decide decide);
  void Tell(const Changes& changes);
  // From the mirror where that can be right, else from the database.
  Outcome<SaleOf> FindSale(Connection& connection, ConcertId concert, ScheduleId schedule, Time now);
  // The concert as it is in this transaction, with the seats the mirror has not seen.
  Decided<ConcertId> Shown(Connection& connection, ConcertId concert) const;
  Task<Outcome<ConcertView>> ViewOf(Task<Outcome<ConcertId>> changed, Time now);
  void RefreshFrom(Connection& connection);
  void RefreshConcerts(Connection& connection);
  void RefreshSeats(Connection& connection, const std::string& which, Millis time);
  // The concert and the seats of it that the mirror has not seen.
  void Learn(Connection& connection, ConcertId concert);

  Outcome<Decided<Reservation>> DecideHold(Connection& connection, const Attempt& attempt,
                                           const HoldTry& wanted);
  static Reservation NewHold(const HoldTry& wanted, const ConcertRecord& concert, const ScheduleRecord& date,
                             std::vector<SeatNumber> seats);
  // What the request asks for, where it may have it. Writes no row of a reservation or a seat.
  Outcome<std::vector<SeatNumber>> ChooseSeats(Connection& connection, const ConcertRecord& concert,
                                               const HoldRequest& request, Time now);
  Outcome<Done> CheckLimits(Connection& connection, const ConcertRecord& concert, const HoldRequest& request,
                            std::size_t seats, Time now);
  Refused WhyNotFree(Connection& connection, const HoldRequest& request, const std::vector<SeatNumber>& seats,
                     const Attempt& attempt);
  // The mirror learns who has these seats. Undoes what the transaction did.
  void LearnSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats);
  // Whether it needs nothing but its seats; whoever has the server choose, or has limits, reads before writing.
  bool MayShare(const HoldRequest& request) const;
  // Several at once (booking_together.cpp). False: nobody is decided.
  bool HoldTogether(Connection& connection, const SharedHolds::Members& members);
  bool HoldPicks(Connection& connection, std::vector<HoldPick>& picks);
  std::vector<HoldPick> PickHolds(const SharedHolds::Members& members) const;
  bool PayTogether(Connection& connection, const SharedPayments::Members& members);
  std::vector<PaymentPick> PickPayments(Connection& connection, const SharedPayments::Members& members);
  static bool AssignPicks(Connection& connection, std::vector<PaymentPick>& picks,
                          const std::map<ScheduleId, SeatMove>& moves, Time paid_at);
  void Settle(PaymentPick& pick, const SeatsMoved& moved, Time paid_at) const;
  Outcome<Decided<Reservation>> DecideCancel(Connection& connection, const Claim& claim, Time now);
  void End(Connection& connection, Reservation& reservation, ReservationStatus status, Time now,
           Changes& changes);
  Outcome<Decided<PaymentOutcome>> DecidePayment(Connection& connection, const PaymentTry& wanted,
                                                 bool at_once);
  Outcome<Decided<PaymentOutcome>> DecideReport(Connection& connection, const PaymentReport& report,
                                                Time now);
  // The money is with the provider: seats, or a refund that is due.
  void Capture(Connection& connection, Reservation& reservation, Payment& payment, bool newest, Time now,
               Changes& changes);
  static Payment NewPayment(const PaymentTry& wanted, const Reservation& reservation);
  // Machines' clocks may differ: paidAt of one concert never goes back, nor before the opening.
  Time PaidAt(const SaleOf& sale, Time now) const;
  // Assigns the seats of an expired hold, where all of them are available.
  bool TakeAgain(Connection& connection, Reservation& reservation, Time now);
  // The seats are the reservation's already; counts them, finds sell-outs and settles both records.
  void Assign(Connection& connection, const SaleOf& sale, SeatState from, Reservation& reservation,
              Payment& payment, Time now, Changes& changes);
  void FindSoldOuts(Connection& connection, const SaleOf& sale, const Counted& counted,
                    Reservation& reservation, Changes& changes);
  PaymentOutcome OutcomeOf(Reservation reservation, std::optional<Payment> payment) const;
  void ExpireAll(Connection& connection, const std::vector<Reservation>& due, Time now, Changes& changes);
  bool ExpireSome(Time now);
  bool EndSomeCancelled(Time now);
  // Moves the deadlines of holds by the time in which nobody reached the database. True: there was such a time.
  Task<Outcome<bool>> GiveLostTime();
  // At most once a second. False: the database does not answer.
  bool Pulse();

  Task<Outcome<ConcertView>> ChangeSeats(ScheduleId schedule, std::vector<SeatNumber> seats, SeatState to,
                                         Operator who);
  // One action of an operator: `act(connection)` changes the concert and tells whether there was something to
  // change; then follow its version and its row in the audit log.
  template <class Act>
  Task<Outcome<ConcertView>> Operate(ConcertId concert, Operator who, std::string action, std::string subject,
                                     std::string detail, Act act);

  Pool& pool_;
  Random& random_;
  BookingMirror mirror_;
  SharedHolds holds_;
  SharedPayments payments_;
  BookingCounters* counters_ = nullptr;
  std::chrono::steady_clock::time_point refreshed_at_{};  // RefreshOften only
  std::atomic<std::size_t> refreshed_shards_{0};
  std::atomic<std::chrono::steady_clock::time_point> pulsed_at_{};
};

template <class T>
Task<Outcome<T>> MysqlBookingStore::Told(Task<Outcome<Decided<T>>> deciding) {
  auto decided = co_await std::move(deciding);
  if (!decided) co_return decided.error();
  Tell(decided->changes);
  co_return std::move(decided->value);
}

template <class T, class Decide>
Task<Outcome<T>> MysqlBookingStore::ToldInTime(Decide decide) {
  auto told = co_await Told<T>(decide());
  if (told || told.error() != Refusal::kHoldExpired) co_return told;
  // Whoever gives it: another node may have been quicker.
  const auto given = co_await GiveLostTime();
  if (!given) co_return told;
  co_return co_await Told<T>(decide());
}

}  // namespace maejin::mysql
