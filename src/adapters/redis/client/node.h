// One multiplexed connection to one node, kept alive: commands of many requests share it, in the order of
// pipeline.h; when it breaks it comes back by reconnect_policy.h.
//
// Belongs to the thread of its io_context, as everything here but Client does.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include "adapters/redis/client/pipeline.h"
#include "adapters/redis/client/reconnect_policy.h"
#include "adapters/redis/client/session.h"

namespace maejin::redis {

class Node : public std::enable_shared_from_this<Node> {
 public:
  // How to come to a connection, again and again.
  using Open = std::function<Task<OpenResult>()>;

  Node(boost::asio::io_context& context, Open open, std::uint64_t seed);

  // Begins to connect. Once.
  void Start();
  // Refuses everybody and ends. Once.
  void Stop();
  // The peer is no longer the right one: leaves it and opens again, at once.
  void Reset(const std::string& why);

  // Sends the command and waits for its answer until the deadline; any reply is a value here, an error too.
  // While the circuit is open: refused at once.
  Task<CallResult> Call(Command command, Pipeline::Instant deadline, bool asking);

  bool connected() const { return stream_ != nullptr; }
  // Where the connection leads, or led last.
  const Endpoint& endpoint() const { return endpoint_; }
  // Why there is no connection.
  const std::string& error() const { return error_; }

 private:
  template <class Handler>
  struct Waiting;
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

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
  Timer pause_;
  Timer watch_;
  bool writing_ = false;
  bool outdated_ = false;  // Reset() came while a connection was being made: it may lead to the wrong peer
  bool stopped_ = false;
};

}  // namespace maejin::redis
