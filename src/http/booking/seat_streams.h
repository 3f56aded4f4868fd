// The event stream of a date's seats. At most four times a second the changes go to all listeners of a date
// in one shared frame; a date without listeners costs nothing. Events: `seats` (the changes), `snapshot` (the
// whole compact form). Their id is the version of the seats: a listener that connects with Last-Event-ID or
// `?since=` gets the changes since that version, or a snapshot if they are no longer kept.
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

  // Adds the listener. Refuses: kScheduleNotFound, kInvalidField (since).
  Outcome<Done> Listen(const Request& request, std::shared_ptr<EventStream> listener);
  // Sends the changes since the last call. Called about ten times a second, by one thread.
  void Tick(Time now);

  std::size_t listeners() const;

 private:
  struct NoState {};
  struct Channel {
    std::uint64_t sent_version = 0;  // every listener has this version, or a newer one
    Listeners<NoState> listeners;
  };

  // A frame of the changes after `version`, or a snapshot. Sets `version` to the version of the frame. Null:
  // there is nothing to send.
  Outcome<Frame> FrameSince(ScheduleId schedule, std::uint64_t& version) const;

  const ReadSeats& read_;
  SeatsPages& pages_;
  mutable std::mutex mutex_;
  std::map<ScheduleId, Channel> channels_;  // guarded by mutex_, as all below
  Time next_tick_{};
};

}  // namespace maejin::http
