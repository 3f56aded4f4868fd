#include "domain/booking/concert_dates.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace maejin {
namespace {

constexpr std::array<std::string_view, 3> kRooms = {"own", "main", "none"};
constexpr std::array<std::string_view, 5> kStatuses = {"SCHEDULED", "OPEN", "SOLD_OUT", "CLOSED",
                                                       "CANCELLED"};
constexpr std::array<std::string_view, 4> kSaleEnds = {"", "sold-out", "closed", "cancelled"};

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

void SaleFacts::AddDate(bool date_cancelled, Time sales_end_at, const SeatCounts& seats, Time now) {
  ++dates;
  if (date_cancelled) return;
  ++living;
  counts += seats;
  if (now >= sales_end_at) return;
  ++selling;
  on_sale += seats;
}

ConcertStatus StatusAt(const SaleFacts& sale, Time now) {
  if (sale.cancelled || (sale.dates > 0 && sale.living == 0)) return ConcertStatus::kCancelled;
  if (sale.closed) return ConcertStatus::kClosed;
  if (!sale.booking_open_at || now < *sale.booking_open_at) return ConcertStatus::kScheduled;
  if (sale.living == 0) return ConcertStatus::kOpen;
  if (sale.selling == 0) return sale.counts.SoldOut() ? ConcertStatus::kSoldOut : ConcertStatus::kClosed;
  const bool has_unpaid = sale.on_sale.available + sale.on_sale.held > 0;
  return !has_unpaid && sale.counts.assigned > 0 ? ConcertStatus::kSoldOut : ConcertStatus::kOpen;
}

std::string_view Name(SaleEnd end) { return kSaleEnds[static_cast<std::size_t>(end)]; }

SaleEnd SaleEndOf(ConcertStatus status) {
  switch (status) {
    case ConcertStatus::kSoldOut:
      return SaleEnd::kSoldOut;
    case ConcertStatus::kClosed:
      return SaleEnd::kClosed;
    case ConcertStatus::kCancelled:
      return SaleEnd::kCancelled;
    case ConcertStatus::kScheduled:
    case ConcertStatus::kOpen:
      break;
  }
  return SaleEnd::kNone;
}

ConcertDates::ConcertDates(ConcertId id, ConcertDetails details, Time created_at)
    : details_(std::move(details)), id_(id), created_at_(created_at) {}

SaleFacts ConcertDates::FactsAt(Time now) const {
  SaleFacts facts{cancelled_, closed_, details_.booking_open_at};
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
          closed_,
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
  for (const auto seat : plan.blocked) schedule.seats.Set(seat, SeatState::kBlocked, SeatMap::kNobody);
  counts_ += schedule.seats.counts();
  return schedule;
}

Outcome<Done> ConcertDates::Open(Time now) {
  if (cancelled_) return Refusal::kConcertCancelled;
  if (closed_) return Refusal::kConcertClosed;
  if (details_.booking_open_at && *details_.booking_open_at <= now) return Refusal::kAlreadyOpen;
  details_.booking_open_at = now;
  ++life_;
  return Done{};
}

Outcome<Done> ConcertDates::Close() {
  if (cancelled_) return Refusal::kConcertCancelled;
  closed_ = true;
  ++life_;
  return Done{};
}

Outcome<Done> ConcertDates::Reopen() {
  if (cancelled_) return Refusal::kConcertCancelled;
  if (!closed_) return Refusal::kNotClosed;
  closed_ = false;
  ++life_;
  return Done{};
}

Outcome<Done> ConcertDates::Change(const ConcertPatch& patch, Time now) {
  auto changed = Changed(details_, patch, {.cancelled = cancelled_, .closed = closed_}, now);
  if (!changed) return changed.error();
  details_ = std::move(*changed);
  ++life_;
  return Done{};
}

Outcome<Done> ConcertDates::Change(ScheduleId id, const SchedulePatch& patch) {
  auto* schedule = Find(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (cancelled_ || schedule->cancelled) return Refusal::kConcertCancelled;
  if (patch.starts_at) schedule->starts_at = *patch.starts_at;
  if (patch.sales_end_at) schedule->sales_end_at = *patch.sales_end_at;
  ++life_;
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

void ConcertDates::RestoreState(bool cancelled, bool closed, std::int64_t life) {
  cancelled_ = cancelled;
  closed_ = closed;
  life_ = life;
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
