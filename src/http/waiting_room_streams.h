// The listeners of the waiting rooms: one list, looked through once a second, one frame only for whom
// something changed. Events: `position` (rank, status, ETA), `turn` (the fan is ready), `entered`, `notice`,
// `gone` (the place ended; the stream closes). Each frame's id says what it tells: a listener that comes back
// with Last-Event-ID and missed nothing gets no frame. An open stream is a sign of life, as polling is.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "http/listeners.h"
#include "usecase/room_parts.h"

namespace maejin::http {

// Thread-safe.
class RoomStreams {
 public:
  explicit RoomStreams(RoomParts parts) : parts_(parts) {}

  // Takes the listener of a place. Refuses: as FindPlace(), and kRoomNotFound, kNotQueued.
  Outcome<Done> Add(const Visitor& visitor, std::string_view last_event_id,
                    std::shared_ptr<EventStream> stream);

  // Tells everybody what has changed since the last time. About once a second, by one thread.
  void Tick();

  std::size_t size() const;

 private:
  // What the listener was told last.
  struct Told {
    std::uint32_t rank = 0;
    PlaceStatus status = PlaceStatus::kWaiting;
    RoomState state = RoomState::kOpen;
    const std::string* notice = nullptr;  // only compared
    bool operator==(const Told&) const = default;
  };
  struct Listener {
    std::string room;
    std::string user;
    PlaceNumber number;
    std::uint32_t epoch;
    Told told;
  };

  static Told TellingOf(const PlaceAnswer& answer);
  static std::string IdOf(const PlaceAnswer& answer);
  Frame FrameOf(const Listener& listener, const PlaceAnswer& answer, Time now) const;
  // False: the listener is gone.
  bool Update(EventStream& stream, Listener& listener, Time now);

  RoomParts parts_;
  mutable std::mutex mutex_;
  Listeners<Listener> listeners_;  // guarded by mutex_
};

}  // namespace maejin::http
