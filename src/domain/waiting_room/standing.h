// A place's standing: the answer to a join, a poll or a look. Pure functions, usable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "domain/waiting_room/outflow.h"
#include "domain/waiting_room/places.h"
#include "domain/waiting_room/settings.h"

namespace maejin {

enum class PlaceStatus : std::uint8_t { kWaiting, kReady, kEntered };
std::string_view Name(PlaceStatus status);

struct Standing {
  PlaceStatus status = PlaceStatus::kWaiting;
  PlaceNumber number = 0;
  // Living places before this one; 0 once entered. Absent in the pre-queue: there is no order yet.
  std::optional<std::uint32_t> rank = {};
  // Time until the next poll: poll_interval minus a jitter that differs per place and time.
  Millis poll_after{0};
  Millis poll_interval{0};
  std::optional<Eta> eta = {};
  // Entered: when the slot ends unless a poll renews it. Ready: when the turn passes. Else absent.
  std::optional<Time> ends_at = {};
  // Entered: when the slot began, and when it ends in any case.
  Time entered_at{};
  Time session_ends_at{};
};

// Sets poll_interval and poll_after from status, number and rank.
void Pace(Standing& standing, RoomState state, const RoomSettings& settings, Time now);
// Sets poll_interval to `interval`, and poll_after from it.
void Pace(Standing& standing, Millis interval, Time now);

// When a slot ends that began at `entered_at` and was renewed last at `seen_at`.
Time SlotEndsAt(Time entered_at, Time seen_at, const RoomSettings& settings);
// The standing of a place with a slot.
Standing StandingInside(PlaceNumber number, Time entered_at, Time seen_at, RoomState state,
                        const RoomSettings& settings, Time now);

}  // namespace maejin
