// The counts of waiting rooms as events of the type room.progress: live only, not stored, without an id.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/event.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class RoomProgress {
 public:
  // The counts of every room, from any thread: WaitingRoomStore::Stats().
  using Stats = std::function<std::vector<RoomStats>()>;
  RoomProgress(Stats stats, const Clock& clock) : stats_(std::move(stats)), clock_(clock) {}

  // The least time between two looks of one receiver.
  static constexpr Millis kEvery{1000};
  static constexpr std::string_view kType = "room.progress";
  // A reader gets counts only if it asks for them: a list of types, one of which matches.
  static bool IsWanted(const EventFilter& filter) {
    return !filter.patterns().empty() && filter.Matches(kType);
  }

  // What one receiver was told, by room.
  using Told = std::map<RoomId, Serving>;
  // For a receiver that begins: everything counts as told, or everything except rooms with people.
  enum class Beginning : std::uint8_t { kNothing, kRoomsWithPeople };
  Told Begin(Beginning beginning) const;
  // One event for each room whose counts differ from what was told.
  std::vector<Event> Changes(Told& told) const;

 private:
  const Stats stats_;
  const Clock& clock_;
};

}  // namespace maejin
