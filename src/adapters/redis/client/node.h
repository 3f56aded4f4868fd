// One connection to one Redis server. Many requests share it (pipeline.h); reconnect_policy.h decides when it
// is reopened.
//
// Not thread-safe: belongs to the thread of its io_context.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "adapters/redis/client/pipeline.h"
#include "adapters/redis/client/reconnect_policy.h"
#include "adapters/redis/client/session.h"
#include "base/timer.h"

namespace maejin::redis {

class Node : public std::enable_shared_from_this<Node> {
 public:
  // Opens a new connection; called for every attempt.
  using Open = std::function<Task<OpenResult>()>;

  Node(boost::asio::io_context& context, Open open, std::uint64_t seed);

  // Starts to connect. Call once.
  void Start();
  // Refuses all calls and closes the connection. Call once.
  void Stop();
  // Closes the connection and opens a new one at once: for a peer that is no longer the right one.
  void Reset(const std::string& why);

  // Sends the command and waits for the reply until the deadline. An error reply is a value, too. While the
  // circuit is open: kUnavailable at once.
  Task<CallResult> Call(Command command, Pipeline::Instant deadline, bool asking);

  bool connected() const { return stream_ != nullptr; }
  // The peer of the connection; while there is none, of the previous connection.
  const Endpoint& endpoint() const { return endpoint_; }
  // Why there is no connection.
  const std::string& error() const { return error_; }

 private:
  template <class Handler>
  struct PendingCall;

  static Task<void> Run(std::shared_ptr<Node> self);
  static Task<void> Watch(std::shared_ptr<Node> self);
  static Task<void> WriteOut(std::shared_ptr<Node> self, std::shared_ptr<Stream> stream);
  Task<std::string> ReadUntilBroken(std::shared_ptr<Stream> stream);
  void Submit(std::unique_ptr<Pipeline::Call> call);
  void Flush();

  boost::asio::io_context& context_;
  Open open_;
  ReconnectPolicy policy_;
  Pipeline pipeline_;
  std::shared_ptr<Stream> stream_;  // absent while not connected
  Endpoint endpoint_;
  std::string error_ = "not connected yet";
  SteadyTimer pause_;
  SteadyTimer watch_;
  bool writing_ = false;
  bool reset_ = false;  // Reset() was called while opening: the new connection may have the wrong peer
  bool stopped_ = false;
};

}  // namespace maejin::redis
