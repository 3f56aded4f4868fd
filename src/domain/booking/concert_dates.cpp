#include "domain/booking/concert_dates.h"

#include <algorithm>

#include "base/check.h"

namespace maejin {
namespace {

// The first version of a seat map. It is greater than every version of an earlier map, as long as seats
// change less than a million times a second. Below 2^53, so that JavaScript reads it exactly.
std::uint64_t FirstVersion(Time at) { return static_cast<std::uint64_t>(ToMillis(at)) * 1024; }

}  // namespace

SaleFacts ConcertDates::FactsAt(Time now) const {
  SaleFacts facts{cancelled(), closed(), details_.booking_open_at};
  for (const auto& schedule : schedules_)
    facts.AddDate(schedule.cancelled, SalesEndOf(schedule), schedule.seats.counts(), now);
  return facts;
}

Time ConcertDates::NextSalesEnd(Time now) const {
  auto next = Time::max();
  for (const auto& schedule : schedules_) {
    const auto end = SalesEndOf(schedule);
    if (!schedule.cancelled && end > now) next = std::min(next, end);
  }
  return next;
}

const Schedule* ConcertDates::FindSchedule(ScheduleId id) const {
  const auto found =
      std::lower_bound(schedules_.begin(), schedules_.end(), id,
                       [](const Schedule& schedule, ScheduleId wanted) { return schedule.id < wanted; });
  return found == schedules_.end() || found->id != id ? nullptr : &*found;
}

SaleWindow ConcertDates::WindowOf(const Schedule& schedule) const {
  return {cancelled_ || schedule.cancelled,
          closed(),
          details_.booking_open_at,
          schedule.booking_open_at,
          schedule.created_at,
          SalesEndOf(schedule)};
}

Outcome<const Schedule*> ConcertDates::OnSale(ScheduleId id, Time now) const {
  const auto* schedule = FindSchedule(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (const auto on_sale = CheckOnSale(WindowOf(*schedule), now); !on_sale) return on_sale.error();
  return schedule;
}

Schedule& ConcertDates::AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at,
                                    Time loaded_at) {
  auto layout = std::make_shared<const SeatLayout>(plan.sections, plan.wheelchair);
  schedules_.push_back({id,
                        plan.date,
                        plan.starts_at,
                        plan.sales_end_at,
                        plan.day_ends_at,
                        plan.booking_open_at,
                        created_at,
                        false,
                        {},
                        {},
                        {},
                        SeatMap(std::move(layout), FirstVersion(loaded_at))});
  auto& schedule = schedules_.back();
  for (const auto seat : plan.blocked) schedule.seats.Set(seat, SeatState::kBlocked, SeatMap::kNoReservation);
  counts_ += schedule.seats.counts();
  return schedule;
}

Outcome<Done> ConcertDates::Change(ScheduleId id, const SchedulePatch& patch) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (cancelled_ || schedule->cancelled) return Refusal::kConcertCancelled;
  if (patch.starts_at) schedule->starts_at = *patch.starts_at;
  if (patch.sales_end_at) schedule->sales_end_at = *patch.sales_end_at;
  CountLife();
  return Done{};
}

Outcome<Done> ConcertDates::Block(ScheduleId id, const std::vector<SeatNumber>& seats) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  for (const auto seat : seats) {
    if (!schedule->seats.layout()->Has(seat)) return Refused{Refusal::kSeatNotFound, std::to_string(seat)};
    const auto state = schedule->seats.StateOf(seat);
    if (state == SeatState::kAssigned) return Refused{Refusal::kSeatTaken, std::to_string(seat)};
    if (state == SeatState::kHeld) return Refused{Refusal::kSeatHeld, std::to_string(seat)};
  }
  Move(*schedule, seats, SeatState::kBlocked, SeatMap::kNoReservation);
  return Done{};
}

Outcome<Done> ConcertDates::Unblock(ScheduleId id, const std::vector<SeatNumber>& seats) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  std::vector<SeatNumber> blocked;
  for (const auto seat : seats) {
    if (!schedule->seats.layout()->Has(seat)) return Refused{Refusal::kSeatNotFound, std::to_string(seat)};
    if (schedule->seats.StateOf(seat) == SeatState::kBlocked) blocked.push_back(seat);
  }
  Move(*schedule, blocked, SeatState::kAvailable, SeatMap::kNoReservation);
  return Done{};
}

void ConcertDates::RestorePostponed(ScheduleId id, Date previous, Time at) {
  auto* schedule = Find(id);
  if (!schedule) return;
  schedule->previous_date = previous;
  schedule->postponed_at = at;
}

void ConcertDates::RestoreCancelled(ScheduleId id) {
  if (auto* schedule = Find(id)) MarkCancelled(*schedule);
}

void ConcertDates::RestoreSoldOut(ScheduleId id, Time sold_out_at) {
  if (auto* schedule = Find(id)) schedule->sold_out_at = sold_out_at;
}

void ConcertDates::Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state,
                        std::uint32_t owner) {
  if (!schedule.cancelled) counts_ -= schedule.seats.counts();
  for (const auto seat : seats) {
    const auto before = schedule.seats.OwnerOf(seat);
    MAEJIN_CHECK(owner == SeatMap::kNoReservation || before == SeatMap::kNoReservation || before == owner,
                 "a seat belongs to one reservation");
    schedule.seats.Set(seat, state, owner);
  }
  if (!schedule.cancelled) counts_ += schedule.seats.counts();
}

void ConcertDates::MarkCancelled(Schedule& schedule) {
  if (schedule.cancelled) return;
  counts_ -= schedule.seats.counts();
  schedule.cancelled = true;
}

}  // namespace maejin
