#include "domain/booking/concert.h"

#include <algorithm>
#include <array>

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

void BookingChanges::Clear() {
  rows.clear();
  facts.clear();
  refunds_due.clear();
}

Concert::Concert(ConcertId id, ConcertDetails details, Time created_at)
    : id_(id), details_(std::move(details)), created_at_(created_at) {}

ConcertStatus StatusAt(const SaleFacts& sale, Time now) {
  if (sale.cancelled) return ConcertStatus::kCancelled;
  if (sale.closed) return ConcertStatus::kClosed;
  if (!sale.booking_open_at || now < *sale.booking_open_at) return ConcertStatus::kScheduled;
  return sale.sold_out_at && sale.counts.SoldOut() ? ConcertStatus::kSoldOut : ConcertStatus::kOpen;
}

ConcertStatus Concert::StatusAt(Time now) const {
  return maejin::StatusAt({cancelled_, closed_, details_.booking_open_at, sold_out_at_, counts_}, now);
}

const Schedule* Concert::FindSchedule(ScheduleId id) const {
  const auto found =
      std::lower_bound(schedules_.begin(), schedules_.end(), id,
                       [](const Schedule& schedule, ScheduleId wanted) { return schedule.id < wanted; });
  return found == schedules_.end() || found->id != id ? nullptr : &*found;
}

Time Concert::NextDue() const {
  if (cancelling_ != SIZE_MAX) return Time{};
  return deadlines_.empty() ? Time::max() : deadlines_.top().at;
}

Time Concert::StartOf(const Schedule& schedule) const {
  if (schedule.booking_open_at) return *schedule.booking_open_at;
  return std::max(*details_.booking_open_at, schedule.created_at);
}

Outcome<const Schedule*> Concert::OnSale(ScheduleId id, Time now) const {
  const auto* schedule = FindSchedule(id);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(id)};
  if (cancelled_ || closed_ || schedule->cancelled || !details_.booking_open_at) return Refusal::kNotOpen;
  if (now < StartOf(*schedule) || now < *details_.booking_open_at) return Refusal::kNotOpen;
  return schedule;
}

Schedule& Concert::AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at, Time loaded_at) {
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

Outcome<Done> Concert::Open(Time now) {
  if (cancelled_ || closed_) return Refusal::kNotOpen;
  if (details_.booking_open_at && *details_.booking_open_at <= now) return Refusal::kAlreadyOpen;
  details_.booking_open_at = now;
  return Done{};
}

void Concert::RestoreState(bool cancelled, bool closed) {
  cancelled_ = cancelled;
  closed_ = closed;
}

void Concert::RestoreCancelled(ScheduleId id) {
  if (auto* schedule = Find(id)) MarkCancelled(*schedule);
}

void Concert::RestoreSoldOut(ScheduleId id, Time sold_out_at) {
  if (auto* schedule = Find(id)) schedule->sold_out_at = sold_out_at;
}

bool Concert::Restore(Reservation reservation) {
  auto* schedule = Find(reservation.schedule);
  if (!schedule) return false;
  const auto index = static_cast<ReservationIndex>(reservations_.size());
  if (reservation.Living()) {
    for (const auto seat : reservation.seats) {
      if (!schedule->seats.layout()->Has(seat) || schedule->seats.OwnerOf(seat) != SeatMap::kNobody)
        return false;
    }
    const bool paid = reservation.status == ReservationStatus::kConfirmed;
    Move(*schedule, reservation.seats, paid ? SeatState::kAssigned : SeatState::kHeld, index);
    Count(reservation, +1);
  }
  CountUnpaid(reservation);
  if (reservation.paid_at) last_paid_at_ = std::max(last_paid_at_, *reservation.paid_at);
  if (reservation.Unpaid()) deadlines_.push({reservation.expires_at, index});
  if (!reservation.idempotency_key.empty()) {
    by_key_[reservation.user + '\0' + reservation.idempotency_key] = index;
  }
  reservations_.push_back(std::move(reservation));
  return true;
}

void Concert::Restore(Payment payment, ReservationIndex reservation) {
  reservations_[reservation].payment = static_cast<PaymentIndex>(payments_.size());
  payments_.push_back(std::move(payment));
  reservation_of_payment_.push_back(reservation);
  Track(reservations_[reservation].payment);
}

// Counters of the date and of the concert change together.
void Concert::Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state,
                   std::uint32_t owner) {
  if (!schedule.cancelled) counts_ -= schedule.seats.counts();
  for (const auto seat : seats) schedule.seats.Set(seat, state, owner);
  if (!schedule.cancelled) counts_ += schedule.seats.counts();
}

void Concert::Count(const Reservation& reservation, std::int64_t sign) {
  if (!HasLimits(details_)) return;
  auto& tally = tallies_[reservation.user];
  const auto seats = sign * static_cast<std::int64_t>(reservation.seats.size());
  tally.seats += seats;
  tally.by_date[reservation.schedule].seats += seats;
}

void Concert::CountUnpaid(const Reservation& reservation) {
  using enum ReservationStatus;
  const bool unpaid = reservation.status == kExpired || reservation.status == kCancelled;
  if (!unpaid || !reservation.ended_at || details_.cooldown == Seconds{0}) return;
  tallies_[reservation.user].by_date[reservation.schedule].unpaid.Add(*reservation.ended_at);
}

CustomerSeats Concert::SeatsOf(const UserId& user, ScheduleId schedule) const {
  const auto found = tallies_.find(user);
  if (found == tallies_.end()) return {};
  const auto date = found->second.by_date.find(schedule);
  if (date == found->second.by_date.end()) return {.in_concert = found->second.seats};
  return {found->second.seats, date->second.seats, date->second.unpaid};
}

}  // namespace maejin
