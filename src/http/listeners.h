// Everybody who listens to one thing by Server-Sent Events: a frame is made once and shared by all it goes
// to, and who has gone is forgotten. Heartbeats, bounded backlogs and the farewell at the end are the
// server's (server/event_stream.h).
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/router.h"

namespace maejin::http {

using Frame = SharedText;

// Without an `id` a listener that comes back does not say that it had this one.
Frame MakeFrame(std::string_view event, std::string_view id, std::string_view data);
void AppendFrame(std::string_view event, std::string_view id, std::string_view data, std::string& out);

// The first frame of a stream: how soon to come back after it breaks.
Frame HelloFrame();

// The number of the last event a listener had: its Last-Event-ID, or absent where it names none.
std::optional<std::uint64_t> LastEventNumber(const Request& request);

// `Told` is what is kept for each listener. Not thread-safe: its owner's lock guards it.
template <class Told>
class Listeners {
 public:
  void Add(std::shared_ptr<EventStream> stream, Told told = {}) {
    all_.push_back({std::move(stream), std::move(told)});
  }

  // Runs `update(stream, told)` for everybody who is still there; false: forgets the listener.
  template <class Update>
  void Each(Update&& update) {
    std::erase_if(all_, [&](One& one) { return one.stream->closed() || !update(*one.stream, one.told); });
    if (all_.capacity() > 1024 && all_.size() < all_.capacity() / 4) all_.shrink_to_fit();
  }

  // Looks at everybody and forgets nobody.
  template <class Look>
  void Visit(Look&& look) {
    for (auto& one : all_) look(*one.stream, one.told);
  }
  // Takes the listeners of `other`, too.
  void Take(Listeners&& other) {
    if (all_.empty()) return std::swap(all_, other.all_);
    std::move(other.all_.begin(), other.all_.end(), std::back_inserter(all_));
  }

  void Send(const Frame& frame) {
    Each([&](EventStream& stream, Told&) {
      stream.Send(frame);
      return true;
    });
  }
  void ForgetTheGone() {
    Each([](EventStream&, Told&) { return true; });
  }

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }

 private:
  struct One {
    std::shared_ptr<EventStream> stream;
    Told told;
  };
  std::vector<One> all_;
};

}  // namespace maejin::http
