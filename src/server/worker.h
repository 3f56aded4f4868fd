// One serving thread: an event loop, a listener on the shared port, and what its connections share. Other
// threads call only Drain() and Stop(), or post tasks to executor().
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include "base/random.h"
#include "base/task.h"
#include "server/event_stream.h"
#include "server/exchange.h"
#include "server/listener.h"
#include "server/shared.h"
#include "server/transport.h"

namespace maejin::http {

class Worker {
 public:
  explicit Worker(Shared& shared) : shared_(shared) {}

  // Call before Run().
  void Listen(Acceptor acceptor, ListenerOptions options);
  // Serves until Stop(), or until Drain() is complete.
  void Run();
  // Drain() and Stop() may be called from any thread.
  void Drain();
  void Stop() { context_.stop(); }
  // Closes the connections and destroys the tasks that still wait in the event loop. Call after Run(), while
  // all workers exist: a waiting task may own a task of another worker.
  void DropPending();

  Executor executor() { return context_.get_executor(); }
  Shared& shared() { return shared_; }
  const ServerOptions& options() const { return shared_.options(); }

  // The functions below are for connections and streams of this thread.
  ExchangePool& exchanges() { return exchanges_; }
  // Output buffer of the connection that is being served; empty between steps.
  std::string& out() { return out_; }
  std::string_view date_line() const { return date_line_; }
  // The time of the last tick, precise enough for deadlines.
  std::chrono::steady_clock::time_point now() const { return now_; }
  bool draining() const { return shared_.draining.load(std::memory_order_relaxed); }
  void Enlist(Transport& connection) { connections_.push_back(connection); }
  void Enlist(Stream& stream) { streams_.push_back(stream); }
  void StopIfDrained();
  // Sets the request's id and traceparent to those that the client sent. A request without a valid id gets a
  // new id.
  void Identify(Exchange& exchange);
  void Log(const Exchange& exchange, std::size_t bytes);

 private:
  // Runs the event loop. False: an allocation failed, and the loop must be run again.
  bool Loop();
  void Tick();
  void Sweep();
  void Heartbeat();
  void BeginDrain();

  struct Context : boost::asio::io_context {
    using io_context::io_context;
    void DropPending() { shutdown(); }
  };

  Shared& shared_;
  Context context_{1};
  std::list<Listener> listeners_;
  SteadyTimer timer_{context_.get_executor()};
  ExchangePool exchanges_;
  std::string out_;
  std::string log_;
  std::string date_line_;
  std::int64_t date_second_ = 0;
  std::uint64_t next_request_id_ = SystemRandom().Next64();
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_sweep_{};
  std::chrono::steady_clock::time_point next_heartbeat_{};
  std::chrono::steady_clock::time_point next_stream_sweep_{};
  bool ticking_ = false;  // the timer of Tick() is set
  bool drain_begun_ = false;
  std::shared_ptr<const std::string> heartbeat_ = std::make_shared<const std::string>(":\n\n");
  boost::intrusive::list<Transport, boost::intrusive::constant_time_size<false>> connections_;
  boost::intrusive::list<Stream, boost::intrusive::constant_time_size<false>> streams_;
};

}  // namespace maejin::http
