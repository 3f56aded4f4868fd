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
  // Returns the counts of every room, as WaitingRoomStore::Stats() does. Any thread may call it.
  using Stats = std::function<std::vector<RoomStats>()>;
  RoomProgress(Stats stats, const Clock& clock) : stats_(std::move(stats)), clock_(clock) {}

  // The shortest time between two calls of Changes() for one receiver.
  static constexpr Millis kEvery{1000};
  static constexpr std::string_view kType = "room.progress";
  // A reader gets counts only if its filter lists types, and one of them matches.
  static bool IsWanted(const EventFilter& filter) {
    return !filter.patterns().empty() && filter.Matches(kType);
  }

  // The counts that one receiver got last, by room.
  using SentCounts = std::map<RoomId, Serving>;
  // The counts with which a receiver begins. kNothing: it gets only later changes. kRoomsWithPeople: it also
  // gets the present counts of rooms with people.
  enum class Beginning : std::uint8_t { kNothing, kRoomsWithPeople };
  SentCounts Begin(Beginning beginning) const;
  // One event for each room whose counts differ from `sent`, which is updated.
  std::vector<Event> Changes(SentCounts& sent) const;

 private:
  const Stats stats_;
  const Clock& clock_;
};

}  // namespace maejin
