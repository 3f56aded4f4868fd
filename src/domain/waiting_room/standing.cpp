// What a fan is told, and when to ask again.
#include <algorithm>

#include "domain/waiting_room/waiting_room.h"

namespace maejin {
namespace {

struct Distance {
  std::uint32_t below;
  Millis poll_after;
};
// The further from the front, the rarer: a million waiters ask 50,000 times a second, not a million times.
constexpr Distance kDistances[] = {{50, Millis{1000}},          {500, Millis{2000}},
                                   {5000, Millis{4000}},        {50'000, Millis{8000}},
                                   {500'000, Millis{15'000}},   {2'000'000, Millis{20'000}},
                                   {UINT32_MAX, Millis{60'000}}};
constexpr Millis kBeforeOpening{10'000};
constexpr Millis kWhilePaused{5000};
constexpr Millis kInsideMost{30'000};
constexpr Millis kLeast{250};

Millis ByDistance(std::uint32_t rank) {
  for (const auto& distance : kDistances) {
    if (rank < distance.below) return distance.poll_after;
  }
  return kDistances[std::size(kDistances) - 1].poll_after;
}

// Up to an eighth earlier, different for everybody and every time: the crowd does not ask in step. So simple that
// stores that decide in a language which knows only doubles compute the same.
Millis Jittered(Millis poll_after, PlaceNumber number, Time now) {
  constexpr std::int64_t kSpread = 7919;
  return poll_after - Millis{(number * kSpread + ToMillis(now)) % (poll_after.count() / 8 + 1)};
}

Millis PollInterval(const Standing& standing, RoomState state, const RoomSettings& settings, Time now) {
  if (standing.status == PlaceStatus::kEntered) {
    return std::clamp<Millis>(Millis{settings.token_ttl} / 4, kLeast, kInsideMost);
  }
  if (!standing.rank) {
    if (!settings.opens_at) return kBeforeOpening;
    return std::clamp<Millis>((*settings.opens_at - now) / 4, Millis{1000}, kBeforeOpening);
  }
  const auto by_distance = ByDistance(*standing.rank);
  return state == RoomState::kPaused ? std::max(by_distance, kWhilePaused) : by_distance;
}

}  // namespace

void Pace(Standing& standing, RoomState state, const RoomSettings& settings, Time now) {
  standing.poll_interval = PollInterval(standing, state, settings, now);
  standing.poll_after = Jittered(standing.poll_interval, standing.number, now);
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
