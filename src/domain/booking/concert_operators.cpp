// Operators' actions on a concert on sale.
#include <algorithm>
#include <chrono>
#include <map>

#include "domain/booking/concert.h"

namespace maejin {
namespace {

using Quarters = std::chrono::duration<std::int64_t, std::ratio<15 * 60>>;

// Adds one pair of facts for each quarter of an hour in which seats were held, instead of one pair for each
// reservation. Boards count the same, because no time zone's day begins within such a quarter.
void MoveProgress(const std::deque<Reservation>& reservations, const Schedule& schedule, Date to,
                  BookingChanges& changes) {
  if (to == schedule.date) return;
  std::map<std::chrono::sys_time<Quarters>, ProgressChanged> held_in;
  for (const auto& reservation : reservations) {
    if (reservation.schedule != schedule.id || !reservation.Living()) continue;
    auto& moved = held_in[std::chrono::floor<Quarters>(reservation.held_at)];
    moved.seats += static_cast<std::int64_t>(reservation.seats.size());
    moved.held_at = reservation.held_at;
  }
  for (const auto& [quarter, moved] : held_in) {
    changes.facts.push_back(ProgressChanged{schedule.id, schedule.date, -moved.seats, moved.held_at});
    changes.facts.push_back(ProgressChanged{schedule.id, to, moved.seats, moved.held_at});
  }
}

}  // namespace

void Concert::CancelAll() {
  if (!cancelled_) CountLife();
  cancelled_ = true;
  for (auto& schedule : schedules_) MarkCancelled(schedule);
  cancelling_ = 0;
}

Outcome<Done> Concert::CancelSchedule(ScheduleId id) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (!schedule->cancelled) CountLife();
  MarkCancelled(*schedule);
  cancelling_ = 0;
  return Done{};
}

void Concert::ResumeCancelling() {
  const bool any = std::any_of(schedules_.begin(), schedules_.end(), [](const Schedule& each) {
    return each.cancelled && each.seats.counts().held + each.seats.counts().assigned > 0;
  });
  if (any) cancelling_ = 0;
}

// A cancelled date gets no new reservations, so one pass over all reservations ends them.
void Concert::EndCancelled(std::size_t limit, Time now, BookingChanges& changes) {
  if (cancelling_ == SIZE_MAX) return;
  for (std::size_t ended = 0; ended < limit && cancelling_ < reservations_.size(); ++cancelling_) {
    const auto& reservation = reservations_[cancelling_];
    if (!reservation.Living() || !FindSchedule(reservation.schedule)->cancelled) continue;
    [[maybe_unused]] const auto cancelled =
        Cancel(static_cast<ReservationIndex>(cancelling_), EndReason::kCancelled, now, changes);
    ++ended;
  }
  if (cancelling_ >= reservations_.size()) cancelling_ = SIZE_MAX;
}

Outcome<Done> Concert::Postpone(ScheduleId id, const NewDate& to, Time now, BookingChanges& changes) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (cancelled_ || schedule->cancelled) return Refusal::kConcertCancelled;
  MoveProgress(reservations_, *schedule, to.date, changes);
  if (to.date != schedule->date) {
    schedule->previous_date = schedule->date;
    schedule->postponed_at = now;
  }
  schedule->date = to.date;
  schedule->starts_at = to.starts_at;
  schedule->day_ends_at = to.day_ends_at;
  schedule->sales_end_at.reset();
  CountLife();
  return Done{};
}

}  // namespace maejin
