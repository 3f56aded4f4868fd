#include "usecase/manage_concert.h"

#include <algorithm>

namespace maejin {

void ManageConcert::NameDayEnds(std::vector<SchedulePlan>& schedules) const {
  for (auto& schedule : schedules) schedule.day_ends_at = DayEnd(schedule.date, deps_.zone);
}

Task<Outcome<ConcertView>> ManageConcert::Create(ConcertDetails details, std::vector<SchedulePlan> schedules,
                                                 std::string actor) {
  NameDayEnds(schedules);
  auto created = co_await deps_.bookings.CreateConcert(std::move(details), std::move(schedules),
                                                       Acting(std::move(actor)));
  if (!created) co_return created;
  const auto followed = co_await deps_.follow(*created);
  if (!followed) co_return followed.error();
  co_return created;
}

Task<Outcome<ConcertView>> ManageConcert::AddSchedules(ConcertId concert, std::vector<SchedulePlan> schedules,
                                                       std::string actor) {
  NameDayEnds(schedules);
  return Followed(deps_.bookings.AddSchedules(concert, std::move(schedules), Acting(std::move(actor))));
}

// If the boards do not answer now, their reconciliation repairs them later.
Task<Outcome<ConcertView>> ManageConcert::Change(ConcertId concert, ConcertPatch patch, std::string actor) {
  const bool ranks = patch.ranked.has_value();
  const bool renames = patch.title || patch.artist || patch.venue;
  auto acting = deps_.operations.ChangeConcert(concert, std::move(patch), Acting(std::move(actor)));
  auto changed = co_await Followed(std::move(acting));
  if (changed && (ranks || (renames && changed->sold_out_at))) {
    [[maybe_unused]] const auto rebuilt = co_await deps_.rankings.Rebuild();
  }
  co_return changed;
}

Task<Outcome<ConcertView>> ManageConcert::Cancel(ConcertId concert, std::string actor) {
  auto cancelled = co_await Followed(deps_.operations.CancelConcert(concert, Acting(std::move(actor))));
  if (!cancelled) co_return cancelled;
  const auto& dates = cancelled->schedules;
  const bool was_ranked = std::any_of(dates.begin(), dates.end(),
                                      [](const ScheduleView& date) { return date.sold_out_at.has_value(); });
  if (was_ranked) {
    [[maybe_unused]] const auto rebuilt = co_await deps_.rankings.Rebuild();
  }
  co_return cancelled;
}

Task<Outcome<ConcertView>> ManageConcert::Followed(Task<Outcome<ConcertView>> acting) {
  auto acted = co_await std::move(acting);
  if (!acted) co_return acted;
  [[maybe_unused]] const auto followed = co_await deps_.follow(*acted);
  co_return acted;
}

}  // namespace maejin
