#include "domain/booking/concert_dates.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace maejin {
namespace {

constexpr std::array<std::string_view, 3> kRooms = {"own", "main", "none"};
constexpr std::array<std::string_view, 5> kStatuses = {"SCHEDULED", "OPEN", "SOLD_OUT", "CLOSED",
                                                       "CANCELLED"};

// Versions of a seat map that starts at `at` are greater than those of any map that was filled before it, as
// long as seats change less than a million times a second; below 2^53, so that JavaScript reads them exactly.
std::uint64_t FirstVersion(Time at) { return static_cast<std::uint64_t>(ToMillis(at)) * 1024; }

}  // namespace

std::string_view Name(RoomKind room) { return kRooms[static_cast<std::size_t>(room)]; }

std::optional<RoomKind> RoomKindOf(std::string_view name) {
  const auto* found = std::find(kRooms.begin(), kRooms.end(), name);
  if (found == kRooms.end()) return {};
  return static_cast<RoomKind>(found - kRooms.begin());
}

std::string_view Name(ConcertStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

ConcertStatus StatusAt(const SaleFacts& sale, Time now) {
  if (sale.cancelled) return ConcertStatus::kCancelled;
  if (sale.closed) return ConcertStatus::kClosed;
  if (!sale.booking_open_at || now < *sale.booking_open_at) return ConcertStatus::kScheduled;
  return sale.sold_out_at && sale.counts.SoldOut() ? ConcertStatus::kSoldOut : ConcertStatus::kOpen;
}

ConcertDates::ConcertDates(ConcertId id, ConcertDetails details, Time created_at)
    : details_(std::move(details)), id_(id), created_at_(created_at) {}

ConcertStatus ConcertDates::StatusAt(Time now) const {
  return maejin::StatusAt({cancelled_, closed_, details_.booking_open_at, sold_out_at_, counts_}, now);
}

const Schedule* ConcertDates::FindSchedule(ScheduleId id) const {
  const auto found =
      std::lower_bound(schedules_.begin(), schedules_.end(), id,
                       [](const Schedule& schedule, ScheduleId wanted) { return schedule.id < wanted; });
  return found == schedules_.end() || found->id != id ? nullptr : &*found;
}

SaleWindow ConcertDates::WindowOf(const Schedule& schedule) const {
  return {cancelled_ || closed_, schedule.cancelled, details_.booking_open_at, schedule.booking_open_at,
          schedule.created_at};
}

Outcome<const Schedule*> ConcertDates::OnSale(ScheduleId id, Time now) const {
  const auto* schedule = FindSchedule(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (!IsOnSale(WindowOf(*schedule), now)) return Refusal::kNotOpen;
  return schedule;
}

Schedule& ConcertDates::AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at,
                                    Time loaded_at) {
  auto layout = std::make_shared<const SeatLayout>(plan.sections, plan.wheelchair);
  schedules_.push_back({id,
                        plan.date,
                        plan.starts_at,
                        plan.booking_open_at,
                        created_at,
                        false,
                        {},
                        SeatMap(std::move(layout), FirstVersion(loaded_at))});
  auto& schedule = schedules_.back();
  for (const auto seat : plan.blocked) schedule.seats.Set(seat, SeatState::kBlocked, SeatMap::kNobody);
  counts_ += schedule.seats.counts();
  return schedule;
}

Outcome<Done> ConcertDates::Open(Time now) {
  if (cancelled_ || closed_) return Refusal::kNotOpen;
  if (details_.booking_open_at && *details_.booking_open_at <= now) return Refusal::kAlreadyOpen;
  details_.booking_open_at = now;
  return Done{};
}

Outcome<Done> ConcertDates::Close() {
  if (cancelled_) return Refusal::kNotOpen;
  closed_ = true;
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
  Move(*schedule, seats, SeatState::kBlocked, SeatMap::kNobody);
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
  Move(*schedule, blocked, SeatState::kAvailable, SeatMap::kNobody);
  return Done{};
}

void ConcertDates::RestoreState(bool cancelled, bool closed) {
  cancelled_ = cancelled;
  closed_ = closed;
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
    MAEJIN_CHECK(owner == SeatMap::kNobody || before == SeatMap::kNobody || before == owner,
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
