// What a fan is told, and when to ask again.
#include <algorithm>

#include "domain/waiting_room/poll_pacing.h"
#include "domain/waiting_room/waiting_room.h"

namespace maejin {
namespace {

Millis ByDistance(std::uint32_t rank) {
  for (const auto& distance : pacing::kDistances) {
    if (rank < distance.below) return distance.poll_after;
  }
  return std::rbegin(pacing::kDistances)->poll_after;
}

// Up to an eighth earlier, different for each fan and each time: the crowd does not ask in step.
Millis Jittered(Millis poll_after, PlaceNumber number, Time now) {
  constexpr std::int64_t kSpread = 7919;
  return poll_after - Millis{(number * kSpread + ToMillis(now)) % (poll_after.count() / 8 + 1)};
}

Millis PollInterval(const Standing& standing, RoomState state, const RoomSettings& settings, Time now) {
  if (standing.status == PlaceStatus::kEntered) {
    return std::clamp<Millis>(Millis{settings.token_ttl} / 4, pacing::kInsideLeast, pacing::kInsideMost);
  }
  if (!standing.rank) {
    if (!settings.opens_at) return pacing::kUndrawn;
    return std::clamp<Millis>((*settings.opens_at - now) / 4, pacing::kUndrawnLeast, pacing::kUndrawn);
  }
  const auto by_distance = ByDistance(*standing.rank);
  return state == RoomState::kPaused ? std::max(by_distance, pacing::kWhilePaused) : by_distance;
}

}  // namespace

void Pace(Standing& standing, RoomState state, const RoomSettings& settings, Time now) {
  Pace(standing, PollInterval(standing, state, settings, now), now);
}

void Pace(Standing& standing, Millis interval, Time now) {
  standing.poll_interval = interval;
  standing.poll_after = Jittered(interval, standing.number, now);
}

Time SlotEndsAt(Time entered_at, Time seen_at, const RoomSettings& settings) {
  return std::min<Time>(seen_at + settings.token_ttl, entered_at + settings.session_limit);
}

Standing StandingInside(PlaceNumber number, Time entered_at, Time seen_at, RoomState state,
                        const RoomSettings& settings, Time now) {
  Standing standing;
  standing.status = PlaceStatus::kEntered;
  standing.number = number;
  standing.rank = 0;
  standing.entered_at = entered_at;
  standing.session_ends_at = entered_at + settings.session_limit;
  standing.ends_at = SlotEndsAt(entered_at, seen_at, settings);
  Pace(standing, state, settings, now);
  return standing;
}

Standing WaitingRoom::StandingInside(PlaceNumber number, const Slot& slot, Time now) const {
  return maejin::StandingInside(number, slot.entered_at, SeenAt(slot), state_, settings_, now);
}

Standing WaitingRoom::StandingOf(const Place& place, PlaceNumber number, Time now) const {
  if (place.entered) return StandingInside(number, slots_.at(number), now);
  Standing standing;
  standing.number = number;
  if (state_ != RoomState::kPreQueue || number < draws_.back().first)
    standing.rank = waiting_.Rank(place.order);
  // At least rank - (those nobody waits for) stand before it: far from the front there is nothing to count.
  const auto uncounted = waiting_.Count() - counted_.Count();
  const bool far = standing.rank && *standing.rank >= std::uint64_t{settings_.capacity} + uncounted;
  if (!far && IsReady(place, now)) {
    standing.status = PlaceStatus::kReady;
    standing.eta = Eta{};
    if (const auto turn = turns_.find(number); turn != turns_.end()) standing.ends_at = turn->second;
  } else if (standing.rank && state_ == RoomState::kOpen) {
    standing.eta = outflow_.UntilEntered(std::uint64_t{*standing.rank} + 1, now);
  }
  Pace(standing, state_, settings_, now);
  return standing;
}

// Remembers what was told: the next poll is expected by it, and a turn begins when the fan hears of it.
Standing WaitingRoom::Tell(Place& place, PlaceNumber number, Time now) {
  auto standing = StandingOf(place, number, now);
  if (place.entered) return standing;
  if (standing.status == PlaceStatus::kReady && !place.passed && !standing.ends_at) {
    Invite(number, now);
    standing.ends_at = turns_.at(number);
  }
  const auto tenths = TenthsOf(standing.poll_interval);
  const bool sooner = tenths < place.poll_tenths;
  place.poll_tenths = tenths;
  if (sooner) ArmPlace(place, number, AbsentAt(place));
  return standing;
}

void WaitingRoom::Invite(PlaceNumber number, Time now) {
  const auto until = now + settings_.turn;
  turns_.emplace(number, until);
  timers_.Arm(until, {number, 0, Timer::Kind::kTurn});
  due_ = std::min(due_, until);
}

Outcome<Standing> WaitingRoom::Look(PlaceNumber number, const UserKey& user, Time now) const {
  const Place* place = Own(number, user);
  if (!place) return Refusal::kNotQueued;
  return StandingOf(*place, number, now);
}

}  // namespace maejin
