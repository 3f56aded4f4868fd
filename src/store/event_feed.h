// The port of the event feed: every transition, once, in the order of the commits. Thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/event.h"

namespace maejin {

struct EventQuery {
  std::int64_t after = 0;  // events with higher ids match
  EventFilter filter = {};
  std::size_t limit = 100;
};

struct EventPage {
  std::vector<Event> events;  // ascending by id
  // The last id that the query has examined: the `after` of the next query.
  std::int64_t next = 0;
};

class EventFeed {
 public:
  virtual ~EventFeed() = default;
  // One call looks at a bounded number of events: a page may be empty although later events match. Refuses:
  // kUnavailable.
  virtual Task<Outcome<EventPage>> Read(EventQuery query) = 0;
  // The newest id that Read() finds; never waits.
  virtual std::int64_t NewestAtOnce() const = 0;
  // Removes events older than `before`, a bounded number at each call; never the newest one. May block.
  virtual void Prune(Time before) = 0;
};

}  // namespace maejin
