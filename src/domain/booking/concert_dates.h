// A concert without its customers: what the operator decided, its dates and their seats. Base of Concert
// (concert.h). Pure and single-threaded.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/booking/booking_requests.h"
#include "domain/booking/booking_rules.h"
#include "domain/booking/seat_map.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

enum class ConcertStatus : std::uint8_t { kScheduled, kOpen, kSoldOut, kClosed, kCancelled };
std::string_view Name(ConcertStatus status);
// What the status of a concert depends on. Cancelled dates are in no count.
struct SaleFacts {
  bool cancelled = false;
  bool closed = false;
  std::optional<Time> booking_open_at = {};
  std::int64_t dates = 0;    // all
  std::int64_t living = 0;   // not cancelled
  std::int64_t selling = 0;  // of these, before the end of their sale
  SeatCounts counts = {};    // of living dates
  SeatCounts on_sale = {};   // of selling dates

  void AddDate(bool date_cancelled, Time sales_end_at, const SeatCounts& seats, Time now);
};
// SOLD_OUT: some seats are paid, and dates that still sell have no unpaid one left, whether the last one was
// paid, blocked or on a date that was cancelled. CLOSED also where every sale has ended, CANCELLED also where
// every date is cancelled.
ConcertStatus StatusAt(const SaleFacts& sale, Time now);

// Why a concert sells nothing at the moment.
enum class SaleEnd : std::uint8_t { kNone, kSoldOut, kClosed, kCancelled };
// "sold-out", "closed", "cancelled"; "" for kNone.
std::string_view Name(SaleEnd end);
SaleEnd SaleEndOf(ConcertStatus status);

struct Schedule {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> sales_end_at;  // as named; absent: the default (SalesEndOf)
  std::optional<Time> day_ends_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Time> sold_out_at;  // the first time; never changes afterwards
  // The last postponement: the date before it, and when it was decided.
  std::optional<Date> previous_date;
  Time postponed_at{};
  SeatMap seats;
};

class ConcertDates {
 public:
  ConcertDates(ConcertId id, ConcertDetails details, Time created_at);

  // --- reading
  ConcertId id() const { return id_; }
  const ConcertDetails& details() const { return details_; }
  Time created_at() const { return created_at_; }
  std::optional<Time> sold_out_at() const { return sold_out_at_; }
  bool cancelled() const { return cancelled_; }
  bool closed() const { return closed_; }
  ConcertStatus StatusAt(Time now) const { return maejin::StatusAt(FactsAt(now), now); }
  SaleFacts FactsAt(Time now) const;
  // When the sale of a date ends next; Time::max() for never.
  Time NextSalesEnd(Time now) const;
  // Grows with every change that the waiting room has to follow.
  std::int64_t life() const { return life_; }
  // Over all dates that are not cancelled.
  const SeatCounts& counts() const { return counts_; }
  // Ascending by id.
  const std::deque<Schedule>& schedules() const { return schedules_; }
  const Schedule* FindSchedule(ScheduleId id) const;
  SaleWindow WindowOf(const Schedule& schedule) const;
  // Refuses: kScheduleNotFound, then as CheckOnSale.
  Outcome<const Schedule*> OnSale(ScheduleId schedule, Time now) const;

  // --- the operator
  // Ids increase. `loaded_at`: now, or when it was read back from disk (versions of its seat map start
  // there). Returned references stay valid.
  Schedule& AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at, Time loaded_at);
  // Refuses: kConcertCancelled, kConcertClosed, kAlreadyOpen.
  Outcome<Done> Open(Time now);
  // No more holds; what is held may still be paid. Refuses: kConcertCancelled.
  Outcome<Done> Close();
  // Undoes Close(). Refuses: kConcertCancelled, kNotClosed.
  Outcome<Done> Reopen();
  // Refuses as Changed() in booking_rules.h.
  Outcome<Done> Change(const ConcertPatch& patch, Time now);
  // Refuses: kScheduleNotFound, kConcertCancelled.
  Outcome<Done> Change(ScheduleId schedule, const SchedulePatch& patch);
  // Dates were added.
  void CountLife() { ++life_; }
  // Blocks seats that are AVAILABLE, all or none; those blocked before stay so. Refuses: kScheduleNotFound,
  // kSeatNotFound, kSeatTaken, kSeatHeld.
  Outcome<Done> Block(ScheduleId schedule, const std::vector<SeatNumber>& seats);
  // Puts blocked seats on sale; others stay as they are. Refuses: kScheduleNotFound, kSeatNotFound.
  Outcome<Done> Unblock(ScheduleId schedule, const std::vector<SeatNumber>& seats);

  // --- loading what was written before
  void RestoreState(bool cancelled, bool closed, std::int64_t life);
  void RestorePostponed(ScheduleId schedule, Date previous, Time at);
  void RestoreCancelled(ScheduleId schedule);
  void RestoreSoldOut(std::optional<Time> concert_sold_out_at) { sold_out_at_ = concert_sold_out_at; }
  void RestoreSoldOut(ScheduleId schedule, Time sold_out_at);

 protected:
  Schedule* Find(ScheduleId id) { return const_cast<Schedule*>(FindSchedule(id)); }
  // Moves seats to a state; `owner` is the reservation that has them. Counters of date and concert change
  // together. A seat that another reservation has ends the process (I1).
  void Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state, std::uint32_t owner);
  // The date counts in no total any more. A repeated call changes nothing.
  void MarkCancelled(Schedule& schedule);

  ConcertDetails details_;
  bool cancelled_ = false;
  std::optional<Time> sold_out_at_;
  std::deque<Schedule> schedules_;

 private:
  ConcertId id_;
  Time created_at_;
  bool closed_ = false;
  std::int64_t life_ = 1;
  SeatCounts counts_;
};

}  // namespace maejin
