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
  // `progress`: may be null.
  ReadEvents(EventFeed& feed, std::function<bool()> draining, const RoomProgress* progress)
      : feed_(feed), draining_(std::move(draining)), progress_(progress) {}

  // A page that has no event is answered after `wait` at the latest. While it waits, a reader that asks for
  // room.progress gets counts as they change; they do not move `next`. Refuses: kUnavailable.
  Task<Outcome<EventPage>> operator()(EventQuery query, Millis wait) const;

 private:
  EventFeed& feed_;
  const std::function<bool()> draining_;
  const RoomProgress* progress_;
};

}  // namespace maejin
