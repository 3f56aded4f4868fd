// Matches the replies of one connection to its commands, which Redis answers in order. Does no I/O: node.cpp
// moves the bytes.
//
// Not thread-safe: belongs to the connection's thread. Call::Complete() may submit another call.
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

  // A command and what its caller does with the result. Complete() is called exactly once.
  struct Call {
    virtual ~Call() = default;
    virtual void Complete(CallResult result) = 0;

    Command command;
    Instant deadline{};
    bool asking = false;  // send ASKING before it
  };

  // Limit of queued calls; further calls are refused at once (kUnavailable).
  static constexpr std::size_t kMaxQueued = 65536;

  void Submit(std::unique_ptr<Call> call);

  // Appends all queued commands to `out` and marks them as sent.
  void TakeOutput(std::string& out);
  // Sets the peer's run id, for commands with AppendRunId().
  void set_server(std::string server) { server_ = std::move(server); }
  bool has_output() const { return !queued_.empty(); }

  // Completes calls with the replies in `bytes`. False: the bytes are not RESP, or a reply has no command;
  // the caller closes the connection.
  bool Feed(std::string_view bytes);

  // Call when the connection broke: sent calls end with kUnknown, queued calls stay for the next connection.
  void Disconnected(const std::string& why);
  // Ends queued calls with kUnavailable.
  void RefuseQueued(const std::string& why);
  // Ends queued calls past their deadline with kUnavailable. True: a sent call is past its deadline, so the
  // server hangs; the caller closes the connection.
  bool Expire(Instant now);

  std::size_t pending() const { return queued_.size() + sent_.size(); }

 private:
  std::deque<std::unique_ptr<Call>> queued_;
  std::deque<std::unique_ptr<Call>> sent_;  // nullptr: the reply to ASKING
  std::string server_;
  std::unique_ptr<ReplyReader> reader_ = std::make_unique<ReplyReader>();
};

}  // namespace maejin::redis
