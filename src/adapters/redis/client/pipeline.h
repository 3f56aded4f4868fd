// The order of one connection: commands leave together, answers come back in the same order.
// Decides only; node.cpp moves the bytes.
//
// Not thread-safe: belongs to the connection's thread. Completing a call may submit another one.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/redis/client/command.h"
#include "adapters/redis/client/reply_reader.h"

namespace maejin::redis {

class Pipeline {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Somebody who waits. Completed exactly once.
  struct Call {
    virtual ~Call() = default;
    virtual void Complete(CallResult result) = 0;

    Command command;
    Instant deadline{};
    bool asking = false;  // send ASKING before it
  };

  // At most this many wait to be sent; more are refused at once (kUnavailable).
  static constexpr std::size_t kMaxQueued = 65536;

  void Submit(std::unique_ptr<Call> call);

  // Appends everything that waits to `out`, from now on sent. Empty: nothing to send.
  void TakeOutput(std::string& out);
  // The run id of the peer; what is sent from now on tells it.
  void set_server(std::string server) { server_ = std::move(server); }
  bool has_output() const { return !queued_.empty(); }

  // Completes the calls whose answers `bytes` complete. False: the peer does not speak RESP, close.
  bool Feed(std::string_view bytes);

  // The connection is gone. What was sent is kUnknown; what waits keeps waiting for the next one.
  void Disconnected(const std::string& why);
  // Nobody will come soon: also what waits is refused (kUnavailable).
  void RefuseQueued(const std::string& why);
  // Refuses what waits past its deadline. True where something that was sent is past its deadline: the peer
  // hangs, close.
  bool Expire(Instant now);

  std::size_t pending() const { return queued_.size() + sent_.size(); }

 private:
  std::deque<std::unique_ptr<Call>> queued_;
  std::deque<std::unique_ptr<Call>> sent_;  // nullptr: an answer nobody waits for
  std::string server_;
  std::unique_ptr<ReplyReader> reader_ = std::make_unique<ReplyReader>();
};

}  // namespace maejin::redis
