#include "usecase/follow_concert.h"

#include <algorithm>

#include "base/run_task.h"

namespace maejin {
namespace {

constexpr std::size_t kConcertsPerTick = 200;
// SetSeats() is repeated at this interval.
constexpr Seconds kSeatsInterval{2};

}  // namespace

SalePlan PlanOf(const ConcertView& concert) {
  SalePlan plan;
  plan.version = concert.life;
  plan.opens_at = concert.details.booking_open_at;
  plan.pre_queue = concert.details.pre_queue;
  plan.ended = concert.closed || concert.status == ConcertStatus::kCancelled;
  for (const auto& schedule : concert.schedules) {
    if (schedule.cancelled) continue;
    plan.closes_at = std::max(plan.closes_at.value_or(schedule.sales_end_at), schedule.sales_end_at);
  }
  return plan;
}

Task<Outcome<Done>> FollowConcert::operator()(ConcertView concert) {
  const auto room = RoomOf(concert.id);
  const auto now = clock_.Now();
  if (concert.details.room != RoomKind::kOwn) {
    // Fans of this concert wait in `main` or need no room, so the concert's own room is made closed.
    auto ensured = co_await rooms_.EnsureRoom(room, now, RoomState::kClosed);
    co_return ensured;
  }
  RoomPatch patch;
  patch.follow = PlanOf(concert);
  auto configured = co_await rooms_.Configure(room, patch, "maejin", now);
  if (!configured && configured.error() == Refusal::kRoomNotFound) {
    const auto ensured = co_await rooms_.EnsureRoom(room, now, RoomState::kScheduled);
    if (!ensured) co_return ensured.error();
    configured = co_await rooms_.Configure(room, std::move(patch), "maejin", now);
  }
  if (!configured) co_return configured.error();
  co_return Done{};
}

void FollowConcert::Tick() {
  const auto now = clock_.Now();
  FollowSome(now);
  UpdateSeats(now);
}

void FollowConcert::FollowSome(Time now) {
  const auto page = bookings_.ListChanges(after_, kConcertsPerTick);
  after_ = page.size() < kConcertsPerTick ? 0 : page.back().concert;
  for (const auto& change : page) {
    if (change.room != RoomKind::kOwn) continue;
    auto& known = known_[change.concert];
    if (known.life >= change.life) continue;
    auto concert = bookings_.FindConcert(change.concert, now);
    if (!concert || concert->life != change.life) continue;  // a later call follows this change
    if (RunTask((*this)(std::move(*concert)))) known.life = change.life;
  }
}

bool ToldSeats::IsDue(bool has_seats_now, bool is_current, Time now) const {
  if (has_seats_now != has_seats) return true;
  return is_current && now >= at + kSeatsInterval;
}

void FollowConcert::UpdateSeats(Time now) {
  const bool is_current = !bookings_.AgeAtOnce();
  for (auto& [concert, known] : known_) {
    const auto stock = bookings_.StockAtOnce(concert, now);
    if (!stock || !known.told.IsDue(stock->HasSeats(), is_current, now)) continue;
    known.told = {stock->HasSeats(), now};
    rooms_.SetSeats(RoomOf(concert), known.told.has_seats, now);
  }
}

}  // namespace maejin
