#include "domain/waiting_room/standing.h"

#include <algorithm>

#include "domain/waiting_room/poll_pacing.h"

namespace maejin {
namespace {

Millis ByDistance(std::uint32_t rank) {
  for (const auto& distance : pacing::kDistances) {
    if (rank < distance.below) return distance.poll_after;
  }
  return std::rbegin(pacing::kDistances)->poll_after;
}

// Subtracts up to an eighth of the interval, so that waiters do not poll all at once. The result is exact in
// doubles, the only numbers of the Lua scripts.
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

std::string_view Name(PlaceStatus status) {
  switch (status) {
    case PlaceStatus::kWaiting:
      return "waiting";
    case PlaceStatus::kReady:
      return "ready";
    case PlaceStatus::kEntered:
      return "entered";
  }
  return "waiting";
}

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

}  // namespace maejin
