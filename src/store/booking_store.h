// The port of bookings: concerts, seats, reservations, payments, sold-outs. The authority for seats and
// money.
//
// Every call is one transition, atomic and durable when it returns. A refusal changes nothing. The rules and
// the order of their checks are in domain/booking/concert.h. Thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/booking/concert.h"
#include "domain/refusal.h"
#include "domain/words.h"
#include "store/concert_catalogue.h"
#include "store/operator.h"

namespace maejin {

// The remaining seats of a concert, and why it sells none.
struct Stock {
  std::int64_t total = 0;      // for sale: without BLOCKED seats
  std::int64_t available = 0;  // AVAILABLE
  std::int64_t held = 0;       // HELD or being paid: may become available again
  SaleEnd end = SaleEnd::kNone;
  bool has_dates = false;  // a date that is not cancelled

  // Whether the concert's room lets fans in. A concert without dates sells elsewhere: its room does.
  bool HasSeats() const { return available > 0 || (!has_dates && end == SaleEnd::kNone); }
};

struct ScheduleView {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Time> sold_out_at;
  SeatCounts counts;
  Time sales_end_at{};  // as the operator set it, or the default
  bool ended = false;   // the sale has ended
  // The last postponement: the date before it, and when it was decided.
  std::optional<Date> previous_date = {};
  Time postponed_at{};
  Money lowest_price = 0;
};

struct ConcertView {
  ConcertId id = 0;
  ConcertDetails details;
  ConcertStatus status = ConcertStatus::kScheduled;
  Time created_at;
  std::optional<Time> sold_out_at;
  SeatCounts counts;
  std::vector<ScheduleView> schedules;
  // Grows with every change that the waiting room has to follow.
  std::int64_t life = 0;
  bool closed = false;  // by the operator

  // The lowest price of the dates that take place; with none of them the list price.
  Money LowestPrice() const {
    std::optional<Money> lowest;
    for (const auto& date : schedules)
      if (!date.cancelled) lowest = std::min(lowest.value_or(date.lowest_price), date.lowest_price);
    return lowest.value_or(details.price);
  }
};

// A concert by its own id, or by the id of one of its schedules. The other id is 0.
struct SaleRef {
  ConcertId concert = 0;
  ScheduleId schedule = 0;

  static SaleRef OfConcert(ConcertId concert) { return {concert, 0}; }
  static SaleRef OfSchedule(ScheduleId schedule) { return {0, schedule}; }
};

// What a hold needs before it checks the waiting room.
struct SaleView {
  ConcertId concert = 0;
  RoomKind room = RoomKind::kOwn;
};

// One date and its concert: what a ticket or a row of a board says besides its seats.
struct ShowView {
  ConcertId concert = 0;
  std::string title;
  std::string artist;
  std::string venue;
  Date date{};
  std::optional<Time> starts_at;
  std::shared_ptr<const SeatLayout> layout;  // names the seats
  // The last postponement: the date before it, and when it was decided.
  std::optional<Date> previous_date = {};
  Time postponed_at{};
  std::int64_t for_sale = 0;  // seats, without BLOCKED ones
};

// The seats that a hold of the best available seats would take now, ascending.
struct BestSeats {
  std::shared_ptr<const SeatLayout> layout;
  std::vector<SeatNumber> seats;
};

// A reservation, and the user that requests it (`owner`); absent: an operator requests it. A call with
// another user's reservation refuses with kReservationNotFound.
struct ReservationRef {
  ReservationId reservation;
  std::optional<UserId> owner = {};

  bool Covers(const Reservation& of) const { return !owner || *owner == of.user; }
};

// A reservation with its newest payment.
struct PaymentOutcome {
  Reservation reservation;
  // Absent: no payment was begun.
  std::optional<Payment> payment;
  RoomKind room = RoomKind::kOwn;
  // Set by RecordPayment() only: the payment's status before the report. Absent: the report changed nothing.
  std::optional<PaymentStatus> changed_from = {};
};

// A snapshot of a schedule's seats.
struct SeatsView {
  ScheduleId schedule = 0;
  std::uint64_t version = 0;
  std::shared_ptr<const SeatLayout> layout;
  std::vector<SeatState> states;  // by number - 1
  SeatCounts counts;
};
struct SeatChange {
  SeatNumber number = 0;
  SeatState state = SeatState::kAvailable;
};
struct SeatChanges {
  std::uint64_t version = 0;
  std::vector<SeatChange> changes;
};

class BookingStore : public ConcertCatalogue {
 public:
  // --- Operator: each action is durable with its audit row when it returns.
  virtual Task<Outcome<ConcertView>> CreateConcert(ConcertDetails details,
                                                   std::vector<SchedulePlan> schedules, Operator actor) = 0;
  // Adds all schedules or none. Refuses: kConcertNotFound, kConcertCancelled, kConcertClosed.
  virtual Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                                  Operator actor) = 0;
  // bookingOpenAt = now. Refuses: kConcertNotFound, kConcertCancelled, kConcertClosed, kAlreadyOpen.
  virtual Task<Outcome<ConcertView>> OpenConcert(ConcertId concert, Operator actor) = 0;

  // --- Reads: never wait for the disk. Changes of this node are visible at once. Where nodes share the
  // store, changes of other nodes are visible within a second, or after the database's outage.
  // Refuses: kConcertNotFound.
  virtual Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const = 0;
  // At most `limit` concerts with ids above `after`, ascending.
  virtual std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const = 0;
  // The stock of the dates that still sell. Polls call it: it never waits, and takes no lock that is held for
  // long. Absent: no such concert.
  virtual std::optional<Stock> StockAtOnce(ConcertId concert, Time now) const = 0;
  // The sum over all concerts, dates whose sale has ended included.
  virtual Stock TotalStock() const = 0;
  // Refuses: kScheduleNotFound, then as CheckOnSale (domain/booking/booking_rules.h).
  virtual Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const = 0;
  // Increases with every change of a seat, across restarts, too. Takes no lock. Absent: no such schedule.
  virtual std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const = 0;
  // Refuses: kScheduleNotFound.
  virtual Outcome<ShowView> FindShow(ScheduleId schedule) const = 0;
  // Finds the best available seats, and holds none. Refuses: kScheduleNotFound, kInvalidField (no such
  // section), kSoldOut (no row has enough adjacent seats).
  virtual Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const = 0;
  // Refuses: kScheduleNotFound.
  virtual Outcome<SeatsView> ReadSeats(ScheduleId schedule) const = 0;
  // The seats that changed after `version`; absent if that version is too old. Refuses: kScheduleNotFound.
  virtual Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                              std::uint64_t version) const = 0;

  // The age of what the reads above return, while the database does not answer. Never waits. Absent: the
  // answers are current.
  virtual std::optional<Seconds> AgeAtOnce() const { return {}; }

  // Call when a read above does not find a concert or schedule: loads it if another node has just created it.
  // Refuses: kUnavailable.
  virtual Task<Outcome<Done>> LoadMissing(SaleRef) { co_return Done{}; }

  // --- Customer. Every call may refuse with kUnavailable.
  // Refuses: as Concert::Hold (domain/booking/concert.h).
  virtual Task<Outcome<Reservation>> Hold(HoldRequest request, Time now) = 0;
  // Returns durable state only. Refuses: kReservationNotFound.
  virtual Task<Outcome<PaymentOutcome>> FindReservation(ReservationRef ref, Time now) = 0;
  // Refuses: kReservationNotFound, kHoldExpired, kAlreadyExtended.
  virtual Task<Outcome<Reservation>> ExtendHold(ReservationRef ref, Time now) = 0;
  // Refuses: kReservationNotFound, kHoldExpired.
  virtual Task<Outcome<Reservation>> Cancel(ReservationRef ref, Time now) = 0;

  // --- Money. domain/booking/concert.h describes the results, at the functions of the same names. Every call
  // may refuse with kUnavailable.
  // Both refuse: kReservationNotFound, then as CheckPayable (domain/booking/booking_rules.h).
  virtual Task<Outcome<PaymentOutcome>> PayAtOnce(ReservationRef ref, PaymentRequest request, Time now) = 0;
  virtual Task<Outcome<PaymentOutcome>> BeginPayment(ReservationRef ref, PaymentRequest request,
                                                     Time now) = 0;
  // Both refuse: kNotFound.
  virtual Task<Outcome<PaymentOutcome>> FindPayment(PaymentId payment, Time now) = 0;
  virtual Task<Outcome<PaymentOutcome>> RecordPayment(PaymentReport report, Time now) = 0;
  // Payments that the settle worker must bring to an end, of other providers than "instant", made before
  // `before`: the oldest `limit` that are REFUND_DUE, then the oldest `limit` that are PENDING; each oldest
  // first. The limits are separate, so that no number of PENDING payments hides a refund. Refuses:
  // kUnavailable.
  virtual Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const = 0;

  // Releases every hold whose deadline has passed. Cheap where none has. Called about ten times a second.
  virtual void ExpireHolds(Time now) = 0;
};

}  // namespace maejin
