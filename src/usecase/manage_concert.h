// Operators' actions on a concert: create it, add dates, open, change.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "base/time_zone.h"
#include "store/booking_operations.h"
#include "store/ranking_store.h"
#include "usecase/follow_concert.h"

namespace maejin {

// The end of a calendar day in the zone of the server.
inline Time DayEnd(Date date, const TimeZone& zone) {
  return zone.StartOf(Date(std::chrono::sys_days(date) + std::chrono::days(1)));
}

// After each action the concert's room follows the concert. `actor` is the operator, for the audit log.
// Thread-safe. The references outlive it.
class ManageConcert {
 public:
  struct Dependencies {
    BookingStore& bookings;
    BookingOperations& operations;
    FollowConcert& follow;
    RankingStore& rankings;
    const Clock& clock;
    TimeZone zone;
  };
  explicit ManageConcert(Dependencies deps) : deps_(deps) {}

  // The room exists when this returns. Refuses: kUnavailable.
  Task<Outcome<ConcertView>> Create(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                    std::string actor);
  // A schedule added to an open concert opens now. Refuses: kConcertNotFound, kConcertCancelled,
  // kConcertClosed.
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                          std::string actor);
  // bookingOpenAt = now. Refuses: kConcertNotFound, kConcertCancelled, kConcertClosed, kAlreadyOpen.
  Task<Outcome<ConcertView>> Open(ConcertId concert, std::string actor) {
    return Followed(deps_.bookings.OpenConcert(concert, Acting(std::move(actor))));
  }
  // Change, ChangeSchedule, CancelSchedule, Postpone, Cancel, Close, Reopen: refusals as in
  // BookingOperations.
  Task<Outcome<ConcertView>> Change(ConcertId concert, ConcertPatch patch, std::string actor);
  Task<Outcome<ConcertView>> ChangeSchedule(ScheduleId schedule, SchedulePatch patch, std::string actor) {
    return Followed(deps_.operations.ChangeSchedule(schedule, patch, Acting(std::move(actor))));
  }
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule, std::string actor) {
    return Followed(deps_.operations.CancelSchedule(schedule, Acting(std::move(actor))));
  }
  Task<Outcome<ConcertView>> Postpone(ScheduleId schedule, NewDate to, std::string actor) {
    to.day_ends_at = DayEnd(to.date, deps_.zone);
    return Followed(deps_.operations.PostponeSchedule(schedule, to, Acting(std::move(actor))));
  }
  // Cancels the concert, and removes it from every board.
  Task<Outcome<ConcertView>> Cancel(ConcertId concert, std::string actor);
  Task<Outcome<ConcertView>> Close(ConcertId concert, std::string actor) {
    return Followed(deps_.operations.CloseConcert(concert, Acting(std::move(actor))));
  }
  Task<Outcome<ConcertView>> Reopen(ConcertId concert, std::string actor) {
    return Followed(deps_.operations.ReopenConcert(concert, Acting(std::move(actor))));
  }

 private:
  Operator Acting(std::string actor) const { return {std::move(actor), deps_.clock.Now()}; }
  void NameDayEnds(std::vector<SchedulePlan>& schedules) const;
  // Waits for the action, then changes the room. The action succeeds even if the room cannot be changed now:
  // FollowConcert::Tick() changes the room later.
  Task<Outcome<ConcertView>> Followed(Task<Outcome<ConcertView>> acting);

  Dependencies deps_;
};

}  // namespace maejin
