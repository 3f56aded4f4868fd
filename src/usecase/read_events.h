// Reads the event feed, and waits for new events.
#pragma once

#include <functional>

#include "base/task.h"
#include "store/event_feed.h"
#include "usecase/room_progress.h"

namespace maejin {

// Thread-safe. The feed outlives it.
class ReadEvents {
 public:
  // `draining`: true when the server shuts down; then no reader waits.
  // `progress`: null if readers get no counts of rooms.
  ReadEvents(EventFeed& feed, std::function<bool()> draining, const RoomProgress* progress)
      : feed_(feed), draining_(std::move(draining)), progress_(progress) {}

  // Returns a page as soon as it has an event, or an empty page after `wait`. A waiting reader whose filter
  // names room.progress also gets a page when counts of rooms change; the counts do not move `next`.
  // Refuses: kUnavailable.
  Task<Outcome<EventPage>> operator()(EventQuery query, Millis wait) const;

 private:
  EventFeed& feed_;
  const std::function<bool()> draining_;
  const RoomProgress* progress_;
};

}  // namespace maejin
