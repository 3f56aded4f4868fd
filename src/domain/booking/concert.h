// A concert on sale: its dates, their seats, the reservations on them and the payments of these. Decides
// every booking transition; the stores make it atomic and durable.
//
// Each transition checks in a fixed order, refuses with the first reason that holds and then changes nothing.
// What it changed it tells in BookingChanges: the rows to write and the facts to publish. Pure and
// single-threaded: no clock, no I/O, no lock. Reservations and payments keep their addresses for ever.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/booking/booking_event.h"
#include "domain/booking/booking_rules.h"
#include "domain/booking/limits.h"
#include "domain/booking/payment.h"
#include "domain/booking/reservation.h"
#include "domain/booking/seat_map.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

// Whose queue token a hold needs.
enum class RoomKind : std::uint8_t { kOwn, kMain, kNone };
std::string_view Name(RoomKind room);
std::optional<RoomKind> RoomKindOf(std::string_view name);

enum class ConcertStatus : std::uint8_t { kScheduled, kOpen, kSoldOut, kClosed, kCancelled };
std::string_view Name(ConcertStatus status);
// What the status of a concert depends on.
struct SaleFacts {
  bool cancelled = false;
  bool closed = false;
  std::optional<Time> booking_open_at;
  std::optional<Time> sold_out_at;
  SeatCounts counts;
};
// Sold out only where a payment sold the last seat: a seat that is blocked or a date that is cancelled takes seats off
// the sale, it sells nothing.
ConcertStatus StatusAt(const SaleFacts& sale, Time now);

// What the operator decides about a concert.
struct ConcertDetails {
  std::string title;
  std::string artist;
  std::string venue;
  Money price = 0;  // of seats whose section names none
  std::optional<Time> booking_open_at = {};
  Seconds hold{300};
  RoomKind room = RoomKind::kOwn;
  // Seats one customer may have (held or paid): in the concert, in one date. 0: any number.
  std::int32_t max_seats_per_user = 0;
  std::int32_t max_seats_per_date = 0;
  // How long a customer may hold nothing after several holds that were not paid (limits.h). 0: no such rule.
  Seconds cooldown{0};
};

struct SchedulePlan {
  Date date{};
  std::optional<Time> starts_at = {};
  std::optional<Time> booking_open_at = {};  // its own opening; absent: the concert's
  std::vector<Section> sections = {};
  std::vector<SeatNumber> blocked = {};
  std::vector<SeatNumber> wheelchair = {};
};

struct Schedule {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Time> sold_out_at;  // the first time; stands for ever
  SeatMap seats;
};

struct HoldRequest {
  ScheduleId schedule = 0;
  // Either these seats (each once), or the best available.
  std::vector<SeatNumber> seats = {};
  std::optional<BestAvailable> best = {};
  UserId user = {};
  std::string idempotency_key = {};
};

// Refuses: kInvalidField (a section that the date does not have). Absent: it can be wished for.
std::optional<Refused> CheckWish(const SeatLayout& layout, const HoldRequest& request);
// Is this the reservation the request made, when it came first? Asked where its key was used before.
bool IsAnswerTo(const HoldRequest& request, const Reservation& before);

struct PaymentRequest {
  Money amount = 0;
  std::string provider = "instant";
  std::string method = {};
};

// What a transition did, in order. Pointers stay valid as long as the concert.
struct BookingChanges {
  struct Row {
    std::variant<const Reservation*, const Payment*> record;
    bool added = false;  // otherwise changed
  };
  std::vector<Row> rows;
  std::vector<decltype(BookingEvent::fact)> facts;
  std::vector<const Payment*> refunds_due;  // became REFUND_DUE

  bool empty() const { return rows.empty() && facts.empty(); }
  void Clear();
};

class Concert {
 public:
  using ReservationIndex = std::uint32_t;
  using PaymentIndex = std::uint32_t;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Concert(ConcertId id, ConcertDetails details, Time created_at);

  // --- reading
  ConcertId id() const { return id_; }
  const ConcertDetails& details() const { return details_; }
  Time created_at() const { return created_at_; }
  std::optional<Time> sold_out_at() const { return sold_out_at_; }
  bool cancelled() const { return cancelled_; }
  bool closed() const { return closed_; }
  ConcertStatus StatusAt(Time now) const;
  // Over all dates that are not cancelled.
  const SeatCounts& counts() const { return counts_; }
  // Ascending by id.
  const std::deque<Schedule>& schedules() const { return schedules_; }
  const Schedule* FindSchedule(ScheduleId id) const;
  const std::deque<Reservation>& reservations() const { return reservations_; }
  const std::deque<Payment>& payments() const { return payments_; }
  const Reservation& reservation(ReservationIndex index) const { return reservations_[index]; }
  const Payment& payment(PaymentIndex index) const { return payments_[index]; }
  ReservationIndex ReservationOf(PaymentIndex index) const { return reservation_of_payment_[index]; }
  // Payments that somebody outside must still bring to an end: PENDING or REFUND_DUE.
  const std::set<PaymentIndex>& unsettled() const { return unsettled_; }
  // The next moment at which ExpireDue() has something to do; Time::max() for never.
  Time NextDue() const;
  // May seats of this date be held at `now`? Refuses: kScheduleNotFound, kNotOpen.
  Outcome<const Schedule*> OnSale(ScheduleId schedule, Time now) const;
  // When the clock of a date started: its own opening, else the concert's, else (a date added to a concert
  // that was already open) its creation. Precondition: the concert has an opening.
  Time StartOf(const Schedule& schedule) const;

  // --- the operator
  // Ids grow. `loaded_at`: now, or when it was read back from disk (versions of its seat map start there).
  // Returned references stay valid.
  Schedule& AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at, Time loaded_at);
  // Refuses: kNotOpen (cancelled or closed), kAlreadyOpen.
  Outcome<Done> Open(Time now);
  // No more holds; what is held may still be paid. Refuses: kNotOpen (cancelled).
  Outcome<Done> Close();
  // No more holds; everything held is cancelled and everything paid refunded, a part at a time (ExpireDue),
  // so that no other customer waits. A cancelled date counts in no total. Again: nothing more.
  void CancelAll();
  // Refuses: kScheduleNotFound.
  Outcome<Done> CancelSchedule(ScheduleId schedule);
  // Reservations stand; their progress moves to the new date. Refuses: kScheduleNotFound, kNotOpen
  // (cancelled).
  Outcome<Done> Postpone(ScheduleId schedule, Date date, std::optional<Time> starts_at,
                         BookingChanges& changes);
  // Blocks seats that are AVAILABLE, all or none; those blocked already stay so.
  // Refuses: kScheduleNotFound, kSeatNotFound, kSeatTaken, kSeatHeld.
  Outcome<Done> Block(ScheduleId schedule, const std::vector<SeatNumber>& seats);
  // Puts blocked seats on sale; others stay as they are. Refuses: kScheduleNotFound, kSeatNotFound.
  Outcome<Done> Unblock(ScheduleId schedule, const std::vector<SeatNumber>& seats);

  // --- the customer
  // Refuses in this order: kScheduleNotFound, kIdempotencyMismatch (the key was used for other seats),
  // kNotOpen, kSoldOut, kSeatNotFound, kSeatTaken, kSeatHeld, kTooManyRequests (cool-down), kTooManySeats. A
  // request whose key was used before gets the reservation it made then.
  struct NewReservation {
    ReservationId id;
    std::int64_t number = 0;
  };
  Outcome<ReservationIndex> Hold(const HoldRequest& request, const NewReservation& made, Time now,
                                 BookingChanges& changes);
  // Moves the deadline once, by the concert's hold time. Refuses: kHoldExpired (no longer HELD),
  // kAlreadyExtended.
  Outcome<Done> Extend(ReservationIndex index, Time now, BookingChanges& changes);
  // A hold is exclusive while now < expires_at: at its deadline it is over. Ends at most `limit` holds; more
  // may be due then (NextDue).
  void ExpireDue(Time now, std::size_t limit, BookingChanges& changes);
  // An unpaid reservation is cancelled, a paid one refunded; again: nothing more. Refuses: kHoldExpired.
  Outcome<Done> Cancel(ReservationIndex index, Time now, BookingChanges& changes);

  // --- money
  struct NewPayment {
    PaymentId id;
    std::int64_t number = 0;
  };
  // Intent and assignment in one step, for money that maejin itself records. Paid before with the same
  // amount: nothing more. Refuses: kHoldExpired, kAmountMismatch, kAlreadyPaying (another provider is at it).
  Outcome<Done> PayAtOnce(ReservationIndex index, const PaymentRequest& request, const NewPayment& made,
                          Time now, BookingChanges& changes);
  // The durable intent before a provider is asked; the reservation is PAYING until its deadline. The intent
  // there is already: the same one. kNone: it is paid already. Refuses: kHoldExpired, kAmountMismatch.
  Outcome<PaymentIndex> BeginPayment(ReservationIndex index, const PaymentRequest& request,
                                     const NewPayment& made, Time now, BookingChanges& changes);
  // Applies a report about a payment; what the transition table (payment.h) refuses changes nothing, nor does a stale
  // report. kCaptured: the seats are assigned if the hold still stands, or, after its deadline, if all of them are
  // still available; otherwise the money is due back. kDeclined: the hold goes on until its deadline. kAbandoned:
  // refused while the hold stands; afterwards no capture assigns seats.
  void RecordPayment(PaymentIndex index, const PaymentReport& report, Time now, BookingChanges& changes);

  // --- loading what was written before, in the order of the numbers
  void RestoreState(bool cancelled, bool closed);
  void RestoreCancelled(ScheduleId schedule);
  // After everything is restored: goes on with cancellations that were under way.
  void ResumeCancelling();
  void RestoreSoldOut(std::optional<Time> concert_sold_out_at) { sold_out_at_ = concert_sold_out_at; }
  void RestoreSoldOut(ScheduleId schedule, Time sold_out_at);
  // False where a seat belongs to another living reservation or does not exist: the data is damaged.
  bool Restore(Reservation reservation);
  void Restore(Payment payment, ReservationIndex reservation);

 private:
  struct Deadline {
    Time at;
    ReservationIndex reservation;
    bool operator>(const Deadline& other) const { return at > other.at; }
  };
  struct DateTally {
    std::int64_t seats = 0;
    UnpaidHolds unpaid;
  };
  struct Tally {
    std::int64_t seats = 0;
    std::unordered_map<ScheduleId, DateTally> by_date;
  };

  Schedule* Find(ScheduleId id) { return const_cast<Schedule*>(FindSchedule(id)); }
  void Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state, std::uint32_t owner);
  void MarkCancelled(Schedule& schedule);
  void EndCancelled(std::size_t limit, Time now, BookingChanges& changes);
  void Count(const Reservation& reservation, std::int64_t sign);
  void CountUnpaid(const Reservation& reservation);
  Outcome<Done> CheckSeats(const SeatMap& seats, const std::vector<SeatNumber>& wanted) const;
  CustomerSeats SeatsOf(const UserId& user, ScheduleId schedule) const;
  ReservationIndex Record(const HoldRequest& request, std::vector<SeatNumber> seats,
                          const NewReservation& made, Time now, BookingChanges& changes);
  void End(Reservation& reservation, ReservationStatus status, Time now, BookingChanges& changes);
  void Progress(const Reservation& reservation, std::int64_t sign, BookingChanges& changes) const;
  void MoveProgress(const Schedule& schedule, Date to, BookingChanges& changes) const;
  PaymentIndex AddPayment(ReservationIndex index, const PaymentRequest& request, const NewPayment& made,
                          Time now);
  void Assign(ReservationIndex index, PaymentIndex payment, Time now, BookingChanges& changes);
  void FindSoldOuts(Schedule& schedule, Reservation& last, BookingChanges& changes);
  void Captured(PaymentIndex index, Time now, BookingChanges& changes);
  bool AllAvailable(const Reservation& reservation, Time now) const;
  bool ChangePayment(PaymentIndex index, PaymentChange change, Time now, BookingChanges& changes);
  // Keeps unsettled_ true after a payment changed.
  void Track(PaymentIndex index);

  ConcertId id_;
  ConcertDetails details_;
  Time created_at_;
  bool cancelled_ = false;
  bool closed_ = false;
  std::optional<Time> sold_out_at_;
  Time last_paid_at_{};
  SeatCounts counts_;
  // Reservations before it have been looked at since the last cancellation; SIZE_MAX: nothing is being
  // cancelled.
  std::size_t cancelling_ = SIZE_MAX;
  std::deque<Schedule> schedules_;
  std::deque<Reservation> reservations_;
  std::deque<Payment> payments_;
  std::vector<ReservationIndex> reservation_of_payment_;
  std::set<PaymentIndex> unsettled_;
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::unordered_map<std::string, ReservationIndex> by_key_;  // user, NUL, idempotency key
  std::unordered_map<UserId, Tally> tallies_;                 // kept only where there are limits
};

}  // namespace maejin
