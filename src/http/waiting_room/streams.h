// The event streams of the waiting rooms: one list of listeners, updated once a second. A listener gets a
// frame only if its standing changed: rank, status, state of the room, notice, or end of the sale. Events:
// `position` (rank, status, ETA), `turn` (the fan is ready), `entered`, `notice`, `gone` (the place ended;
// the stream closes). A frame's id is made from the standing: a listener that reconnects with the id of its
// current standing gets no frame. An open stream counts as presence, as polling does.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/listeners.h"
#include "usecase/room_context.h"

namespace maejin::http {

// Thread-safe.
class RoomStreams {
 public:
  explicit RoomStreams(RoomContext parts) : parts_(parts) {}

  // Adds the listener of a place. Refuses: as FindPlace(), and kRoomNotFound, kNotQueued. If the store cannot
  // answer synchronously, the next Tick() sends the first frame, or `gone`.
  Outcome<Done> Add(const Visitor& visitor, std::string_view last_event_id,
                    std::shared_ptr<EventStream> stream);

  // Sends each listener its changes since the last call. Called about once a second, by one thread.
  void Tick();

  std::size_t size() const;

 private:
  // The standing of the last frame.
  struct Sent {
    std::uint32_t rank = 0;
    PlaceStatus status = PlaceStatus::kWaiting;
    RoomState state = RoomState::kOpen;
    std::shared_ptr<const std::string> notice = {};  // compared by address, so it is kept alive
    SaleEnd ended = SaleEnd::kNone;
    bool operator==(const Sent&) const = default;
  };
  struct Listener {
    std::string room;
    std::string user;
    PlaceNumber number;
    std::uint32_t epoch;
    std::optional<Sent> sent;
    std::string last_event_id;  // of its request
    bool answered = false;      // in this Tick()
  };

  Sent StandingOf(const Listener& listener, const PlaceAnswer& answer, Time now) const;
  static std::string IdOf(const PlaceAnswer& answer, const Sent& standing);
  // Sends `gone`, the last frame of a stream.
  static void SendGone(EventStream& stream, std::string_view code, SaleEnd ended);
  Frame FrameOf(const Listener& listener, const PlaceAnswer& answer, Time now) const;
  // Sends the standing if it has changed. False: the place or the room has ended, and the stream is closed.
  bool Update(EventStream& stream, Listener& listener, const Outcome<PlaceAnswer>& answer, Time now) const;
  Task<void> Ask(EventStream& stream, Listener& listener, Time now) const;

  RoomContext parts_;
  mutable std::mutex mutex_;
  Listeners<Listener> listeners_;  // guarded by mutex_
  std::size_t in_tick_ = 0;        // guarded by mutex_: listeners that Tick() has taken out of the list
};

}  // namespace maejin::http
