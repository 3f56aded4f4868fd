// The event stream of the rankings: one event per ranked sell-out. A listener that reconnects with
// Last-Event-ID gets the events it missed, as far as they are kept. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "domain/ranking/ranking.h"
#include "http/listeners.h"

namespace maejin::http {

class RankingStream {
 public:
  // Event ids begin above `first_id`. The caller passes a value that grows with every start, such as the
  // time. A listener that reconnects after a restart then gets all events since the restart.
  explicit RankingStream(std::uint64_t first_id = 0) : last_id_(first_id) {}

  // Adds the listener. A listener without a Last-Event-ID, or with one above the newest id, gets no past
  // events.
  Outcome<Done> Listen(const Request& request, std::shared_ptr<EventStream> listener);
  // Sends a "soldout" event.
  void Announce(const RankingMovement& movement);
  // Sends a "progress" event, at most one a second, if the progress boards have changed. Drops closed
  // listeners.
  void Tick(Time now, std::uint64_t progress_version);

  std::size_t listeners() const;

 private:
  static constexpr std::size_t kRemembered = 256;
  struct NoState {};
  struct Announced {
    std::uint64_t id;
    Frame frame;
  };

  mutable std::mutex mutex_;
  Listeners<NoState> listeners_;  // guarded by mutex_, as all below
  std::deque<Announced> remembered_;
  std::uint64_t last_id_;
  std::uint64_t progress_version_ = 0;
  Time next_tick_{};
};

}  // namespace maejin::http
