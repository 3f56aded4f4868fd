// A concert without its customers: what the operator decided, its dates and their seats. Base of Concert
// (concert.h). Pure and single-threaded.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "domain/booking/concert_life.h"
#include "domain/words.h"

namespace maejin {

struct Schedule {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> sales_end_at;  // set by the operator; absent: the default (SalesEndOf)
  std::optional<Time> day_ends_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Time> sold_out_at;  // the time of the first sell-out; never changes afterwards
  // The last postponement: the date before it, and when it was decided.
  std::optional<Date> previous_date;
  Time postponed_at{};
  SeatMap seats;
};

class ConcertDates : public ConcertLife {
 public:
  using ConcertLife::Change;
  using ConcertLife::ConcertLife;
  using ConcertLife::RestoreSoldOut;

  // --- reading
  ConcertStatus StatusAt(Time now) const { return maejin::StatusAt(FactsAt(now), now); }
  SaleFacts FactsAt(Time now) const;
  // The next time at which the sale of any date ends; Time::max(): none ends any more.
  Time NextSalesEnd(Time now) const;
  // The sum over all dates that are not cancelled.
  const SeatCounts& counts() const { return counts_; }
  // Ascending by id.
  const std::deque<Schedule>& schedules() const { return schedules_; }
  const Schedule* FindSchedule(ScheduleId id) const;
  SaleWindow WindowOf(const Schedule& schedule) const;
  // Refuses: kScheduleNotFound, then as CheckOnSale.
  Outcome<const Schedule*> OnSale(ScheduleId schedule, Time now) const;

  // --- the operator
  // `id` is greater than all earlier ones. `loaded_at`: when the schedule is added, or read back from disk;
  // versions of its seat map start there. The returned reference stays valid.
  Schedule& AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at, Time loaded_at);
  // Refuses: kScheduleNotFound, kConcertCancelled.
  Outcome<Done> Change(ScheduleId schedule, const SchedulePatch& patch);
  // Blocks all of these seats, or none of them. Each seat must be AVAILABLE or blocked already. Refuses:
  // kScheduleNotFound, kSeatNotFound, kSeatTaken, kSeatHeld.
  Outcome<Done> Block(ScheduleId schedule, const std::vector<SeatNumber>& seats);
  // Puts blocked seats on sale; others stay as they are. Refuses: kScheduleNotFound, kSeatNotFound.
  Outcome<Done> Unblock(ScheduleId schedule, const std::vector<SeatNumber>& seats);

  // --- loading what was written before
  void RestorePostponed(ScheduleId schedule, Date previous, Time at);
  void RestoreCancelled(ScheduleId schedule);
  void RestoreSoldOut(ScheduleId schedule, Time sold_out_at);

 protected:
  Schedule* Find(ScheduleId id) { return const_cast<Schedule*>(FindSchedule(id)); }
  // Moves seats to a state; `owner` is the reservation that has them. The counts of the date and of the
  // concert change together. The process aborts if `owner` would get a seat of another reservation (I1).
  void Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state, std::uint32_t owner);
  // Removes the date from all totals. A repeated call changes nothing.
  void MarkCancelled(Schedule& schedule);

  std::deque<Schedule> schedules_;

 private:
  SeatCounts counts_;
};

}  // namespace maejin
