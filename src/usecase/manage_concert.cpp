#include "usecase/manage_concert.h"

namespace maejin {

void ManageConcert::NameDayEnds(std::vector<SchedulePlan>& schedules) const {
  for (auto& schedule : schedules) schedule.day_ends_at = DayEnd(schedule.date, deps_.zone);
}

Task<Outcome<ConcertView>> ManageConcert::Create(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                                 RoomPatch room) {
  NameDayEnds(schedules);
  auto created =
      co_await deps_.bookings.CreateConcert(std::move(details), std::move(schedules), deps_.clock.Now());
  if (!created) co_return created;
  const auto followed = co_await deps_.follow(*created, std::move(room));
  if (!followed) co_return followed.error();
  co_return created;
}

Task<Outcome<ConcertView>> ManageConcert::AddSchedules(ConcertId concert,
                                                       std::vector<SchedulePlan> schedules) {
  NameDayEnds(schedules);
  return Followed(deps_.bookings.AddSchedules(concert, std::move(schedules), deps_.clock.Now()));
}

Task<Outcome<ConcertView>> ManageConcert::Followed(Task<Outcome<ConcertView>> acting, RoomPatch room) {
  auto acted = co_await std::move(acting);
  if (!acted) co_return acted;
  [[maybe_unused]] const auto followed = co_await deps_.follow(*acted, std::move(room));
  co_return acted;
}

}  // namespace maejin
