// The seats of a date as they change, to everybody who looks at them. Four times a second at most, what
// changed goes to all listeners of a date in one shared frame; a date that nobody listens to costs nothing.
// Events: `seats` (what changed), `snapshot` (the whole compact form). Their id is the version of the seats:
// who comes back with Last-Event-ID (or came with `?since=`) gets what it missed, or all where that is too
// long ago.
#pragma once

#include <map>
#include <mutex>

#include "http/booking/seats_pages.h"
#include "http/listeners.h"

namespace maejin::http {

// Thread-safe.
class SeatStreams {
 public:
  // Both outlive it.
  SeatStreams(const ReadSeats& read, SeatsPages& pages) : read_(read), pages_(pages) {}

  // Takes the listener. Refuses: kScheduleNotFound, kInvalidField (since).
  Outcome<Done> Listen(const Request& request, std::shared_ptr<EventStream> listener);
  // Tells what has changed since the last time. Called about ten times a second, by one thread.
  void Tick(Time now);

  std::size_t listeners() const;

 private:
  struct Nothing {};
  struct Channel {
    std::uint64_t told = 0;  // everybody who listens knows this version, or a newer one
    Listeners<Nothing> listeners;
  };

  // What changed after `version`, or everything; `version` becomes what the frame tells. Null: nothing
  // changed.
  Outcome<Frame> FrameSince(ScheduleId schedule, std::uint64_t& version) const;

  const ReadSeats& read_;
  SeatsPages& pages_;
  mutable std::mutex mutex_;
  std::map<ScheduleId, Channel> channels_;  // guarded by mutex_, as all below
  Time next_tick_{};
};

}  // namespace maejin::http
