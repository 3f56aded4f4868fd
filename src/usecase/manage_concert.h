// What an operator does to a concert after creating it: add dates, open, change.
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

// Each action brings the concert's room in step. Thread-safe. The references outlive it.
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
                                    RoomPatch room);
  // A schedule added to an open concert opens now. Refuses: kConcertNotFound, kConcertCancelled,
  // kConcertClosed.
  Task<Outcome<ConcertView>> AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules);
  // bookingOpenAt = now. Refuses: kConcertNotFound, kConcertCancelled, kConcertClosed, kAlreadyOpen.
  Task<Outcome<ConcertView>> Open(ConcertId concert) {
    return Followed(deps_.bookings.OpenConcert(concert, deps_.clock.Now()));
  }
  // Refusals of these as in BookingOperations.
  Task<Outcome<ConcertView>> Change(ConcertId concert, ConcertPatch patch, RoomPatch room);
  Task<Outcome<ConcertView>> ChangeSchedule(ScheduleId schedule, SchedulePatch patch) {
    return Followed(deps_.operations.ChangeSchedule(schedule, patch, Actor()));
  }
  Task<Outcome<ConcertView>> CancelSchedule(ScheduleId schedule) {
    return Followed(deps_.operations.CancelSchedule(schedule, Actor()));
  }
  Task<Outcome<ConcertView>> Postpone(ScheduleId schedule, NewDate to) {
    to.day_ends_at = DayEnd(to.date, deps_.zone);
    return Followed(deps_.operations.PostponeSchedule(schedule, to, Actor()));
  }
  // The concert leaves every board.
  Task<Outcome<ConcertView>> Cancel(ConcertId concert);
  Task<Outcome<ConcertView>> Close(ConcertId concert) {
    return Followed(deps_.operations.CloseConcert(concert, Actor()));
  }
  Task<Outcome<ConcertView>> Reopen(ConcertId concert) {
    return Followed(deps_.operations.ReopenConcert(concert, Actor()));
  }

 private:
  Operator Actor() const { return {"admin", deps_.clock.Now()}; }
  void NameDayEnds(std::vector<SchedulePlan>& schedules) const;
  // A room that cannot be changed now does not fail the action: FollowConcert repeats it.
  Task<Outcome<ConcertView>> Followed(Task<Outcome<ConcertView>> acting, RoomPatch room = {});

  Dependencies deps_;
};

}  // namespace maejin
