// The listeners of the waiting rooms: one list, looked through once a second, one frame only for whom
// something changed. Events: `position` (rank, status, ETA), `turn` (the fan is ready), `entered`, `notice`,
// `gone` (the place ended; the stream closes). Each frame's id says what it tells: a listener that comes back
// with Last-Event-ID and missed nothing gets no frame. An open stream is a sign of life, as polling is.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/listeners.h"
#include "usecase/room_parts.h"

namespace maejin::http {

// Thread-safe.
class RoomStreams {
 public:
  explicit RoomStreams(RoomParts parts) : parts_(parts) {}

  // Takes the listener of a place. Refuses: as FindPlace(), and kRoomNotFound, kNotQueued; where the store must
  // wait for its answer, the next Tick() tells the first frame or that the place is gone.
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
    std::optional<Told> told;
    std::string last_event_id;  // that it came with
    bool answered = false;      // in this round
  };

  static Told TellingOf(const PlaceAnswer& answer);
  static std::string IdOf(const PlaceAnswer& answer);
  Frame FrameOf(const Listener& listener, const PlaceAnswer& answer, Time now) const;
  // Tells the fan where it stands, if that is something else than before. False: the place is gone.
  bool Update(EventStream& stream, Listener& listener, const Outcome<PlaceAnswer>& answer, Time now) const;
  Task<void> Ask(EventStream& stream, Listener& listener, Time now) const;

  RoomParts parts_;
  mutable std::mutex mutex_;
  Listeners<Listener> listeners_;  // guarded by mutex_
  std::size_t being_told_ = 0;     // guarded by mutex_: those who are in the hands of Tick()
};

}  // namespace maejin::http
