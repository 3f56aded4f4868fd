// The stream of movements: every sell-out as it is ranked, to everybody who listens. A listener who comes
// back with Last-Event-ID gets what it missed, as far as it is remembered. Thread-safe.
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
  // Events are numbered above `born`. Where that grows from start to start (the time does), a listener who comes back after
  // one gets all that happened since.
  explicit RankingStream(std::uint64_t born = 0) : last_id_(born) {}

  // Takes the listener. An id that was never given out starts afresh.
  Outcome<Done> Listen(const Request& request, std::shared_ptr<EventStream> listener);
  // A "soldout" event.
  void Announce(const RankingMovement& movement);
  // A "progress" event, at most one a second, where the boards of progress have changed; also forgets who has
  // gone.
  void Tick(Time now, std::uint64_t progress_version);

  std::size_t listeners() const;

 private:
  static constexpr std::size_t kRemembered = 256;
  struct Nothing {};
  struct Announced {
    std::uint64_t id;
    Frame frame;
  };

  mutable std::mutex mutex_;
  Listeners<Nothing> listeners_;  // guarded by mutex_, as all below
  std::deque<Announced> remembered_;
  std::uint64_t last_id_;
  std::uint64_t progress_version_ = 0;
  Time next_tick_{};
};

}  // namespace maejin::http
