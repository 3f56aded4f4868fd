// Reads the event feed, and waits for new events.
#pragma once

#include <functional>

#include "base/task.h"
#include "store/event_feed.h"

namespace maejin {

// Thread-safe. The feed outlives it.
class ReadEvents {
 public:
  // `draining`: true when the server shuts down; then no reader waits.
  ReadEvents(EventFeed& feed, std::function<bool()> draining) : feed_(feed), draining_(std::move(draining)) {}

  // A page that has no event is answered after `wait` at the latest. Refuses: kUnavailable.
  Task<Outcome<EventPage>> operator()(EventQuery query, Millis wait) const;

 private:
  EventFeed& feed_;
  const std::function<bool()> draining_;
};

}  // namespace maejin
