// The listeners of one event stream (Server-Sent Events): a frame is made once and shared by all of them, and
// closed listeners are dropped. The server sends heartbeats, bounds backlogs and ends streams
// (server/event_stream.h).
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

// Without an `id` the event does not change the Last-Event-ID of a listener that reconnects.
Frame MakeFrame(std::string_view event, std::string_view id, std::string_view data);
void AppendFrame(std::string_view event, std::string_view id, std::string_view data, std::string& out);

// The first frame of a stream: it tells the browser how soon to reconnect.
Frame HelloFrame();

// The Last-Event-ID of a listener that reconnects; absent: it sent none, or no number.
std::optional<std::uint64_t> LastEventNumber(const Request& request);

// `State` is kept for each listener. Not thread-safe: guarded by its owner's lock.
template <class State>
class Listeners {
 public:
  void Add(std::shared_ptr<EventStream> stream, State state = {}) {
    all_.push_back({std::move(stream), std::move(state)});
  }

  // Runs `update(stream, state)` for every open listener. Drops closed listeners, and those for which
  // `update` returns false.
  template <class Update>
  void Each(Update&& update) {
    std::erase_if(all_, [&](One& one) { return one.stream->closed() || !update(*one.stream, one.state); });
    if (all_.capacity() > 1024 && all_.size() < all_.capacity() / 4) all_.shrink_to_fit();
  }

  // Runs `visit(stream, state)` for every listener, and drops none.
  template <class Visitor>
  void Visit(Visitor&& visit) {
    for (auto& one : all_) visit(*one.stream, one.state);
  }
  // Adds the listeners of `other`.
  void Take(Listeners&& other) {
    if (all_.empty()) return std::swap(all_, other.all_);
    std::move(other.all_.begin(), other.all_.end(), std::back_inserter(all_));
  }

  void Send(const Frame& frame) {
    Each([&](EventStream& stream, State&) {
      stream.Send(frame);
      return true;
    });
  }
  void DropClosed() {
    Each([](EventStream&, State&) { return true; });
  }

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }

 private:
  struct One {
    std::shared_ptr<EventStream> stream;
    State state;
  };
  std::vector<One> all_;
};

}  // namespace maejin::http
