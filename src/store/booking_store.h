// The port of bookings: concerts, seats, reservations, payments, sold-outs. The authority for seats and
// money. Every call is one whole transition, atomic and durable before it returns; the time is an argument;
// refusals are named and change nothing. What is decided, and in which order it is checked, stands in
// domain/booking/concert.h. Thread-safe.
#pragma once

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

namespace maejin {

// How much of a concert is left.
struct Stock {
  std::int64_t total = 0;      // for sale: without BLOCKED seats
  std::int64_t available = 0;  // AVAILABLE
  std::int64_t held = 0;       // HELD or being paid: may come back
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
};

struct ConcertView {
  ConcertId id = 0;
  ConcertDetails details;
  ConcertStatus status = ConcertStatus::kScheduled;
  Time created_at;
  std::optional<Time> sold_out_at;
  SeatCounts counts;
  std::vector<ScheduleView> schedules;
};

// What a hold needs to know before the room is asked.
struct SaleView {
  ConcertId concert = 0;
  RoomKind room = RoomKind::kOwn;
};

// One reservation, as its owner (or, without an owner, the operator) sees it. Another's is
// kReservationNotFound.
struct ReservationRef {
  ReservationId reservation;
  std::optional<UserId> owner = {};

  bool Covers(const Reservation& of) const { return !owner || *owner == of.user; }
};

// A reservation, and how far its money is.
struct PaymentOutcome {
  Reservation reservation;
  // The payment as it stands, the newest where there were several; absent only where none was begun.
  std::optional<Payment> payment;
  RoomKind room = RoomKind::kOwn;
  // RecordPayment only: the status that the report changed; absent where it changed none.
  std::optional<PaymentStatus> changed_from = {};
};

// The seats of a schedule at one moment.
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

class BookingStore {
 public:
  virtual ~BookingStore() = default;

  // --- the operator; each action is durable with its row in the audit log before it returns
  virtual Task<Outcome<ConcertView>> CreateConcert(ConcertDetails details,
                                                   std::vector<SchedulePlan> schedules, Time now) = 0;
  // All of them or none. Refuses: kConcertNotFound, kNotOpen (cancelled or closed).
  virtual Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                                  Time now) = 0;
  // bookingOpenAt = now. Refuses: kConcertNotFound, kNotOpen (cancelled or closed), kAlreadyOpen.
  virtual Task<Outcome<ConcertView>> OpenConcert(ConcertId concert, Time now) = 0;

  // --- reading; never waits for the disk. Where several nodes share the store, what another node did shows within a
  // second, or when the database is back; what this node did, at once.
  // Refuses: kConcertNotFound.
  virtual Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const = 0;
  // Ascending by id, those after `after`, at most `limit`.
  virtual std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const = 0;
  // Without waiting and without a lock that others hold for long: asked on the poll path. Absent: no such
  // concert.
  virtual std::optional<Stock> StockAtOnce(ConcertId concert) const = 0;
  // Of all concerts together.
  virtual Stock TotalStock() const = 0;
  // Refuses: kScheduleNotFound, kNotOpen.
  virtual Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const = 0;
  // Grows with every change of a seat, also over a restart; without a lock. Absent: no such schedule.
  virtual std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const = 0;
  // Refuses: kScheduleNotFound.
  virtual Outcome<SeatsView> ReadSeats(ScheduleId schedule) const = 0;
  // The seats that changed after `version`; absent where that is too long ago to know. Refuses:
  // kScheduleNotFound.
  virtual Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                              std::uint64_t version) const = 0;

  // Where the reads above know no such concert, or no such schedule: makes sure that nobody has made it a
  // moment ago. Refuse: kUnavailable.
  virtual Task<Outcome<Done>> LookForConcert(ConcertId) { co_return Done{}; }
  virtual Task<Outcome<Done>> LookForSchedule(ScheduleId) { co_return Done{}; }

  // --- the customer
  virtual Task<Outcome<Reservation>> Hold(HoldRequest request, Time now) = 0;
  // Shows only what is durable. Refuses: kReservationNotFound.
  virtual Task<Outcome<PaymentOutcome>> FindReservation(ReservationRef ref, Time now) = 0;
  virtual Task<Outcome<Reservation>> ExtendHold(ReservationRef ref, Time now) = 0;
  virtual Task<Outcome<Reservation>> Cancel(ReservationRef ref, Time now) = 0;

  // --- money (domain/booking/concert.h: PayAtOnce, BeginPayment, RecordPayment)
  virtual Task<Outcome<PaymentOutcome>> PayAtOnce(ReservationRef ref, PaymentRequest request, Time now) = 0;
  virtual Task<Outcome<PaymentOutcome>> BeginPayment(ReservationRef ref, PaymentRequest request,
                                                     Time now) = 0;
  // Refuse: kNotFound.
  virtual Task<Outcome<PaymentOutcome>> FindPayment(PaymentId payment, Time now) = 0;
  virtual Task<Outcome<PaymentOutcome>> RecordPayment(PaymentReport report, Time now) = 0;
  // Payments somebody has to bring to an end: PENDING or REFUND_DUE of other providers than "instant", made
  // before `before`, at most `limit`. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const = 0;

  // Releases every hold whose deadline has passed. Cheap where there is none; called about ten times a
  // second.
  virtual void ExpireHolds(Time now) = 0;
};

}  // namespace maejin
