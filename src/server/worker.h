// One serving thread: an event loop, an acceptor on the shared port (SO_REUSEPORT: the kernel spreads the
// connections), and what its connections share. Other threads reach it only through post().
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

#include "base/task.h"
#include "server/connection.h"
#include "server/event_stream.h"
#include "server/exchange.h"
#include "server/shared.h"

namespace maejin::http {

class Worker {
 public:
  explicit Worker(Shared& shared) : shared_(shared) {}
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Before Run().
  void Listen(Acceptor acceptor);
  // Serves until Stop(), or until Drain() is complete.
  void Run();
  // From any thread.
  void Drain();
  void Stop() { context_.stop(); }

  Executor executor() { return context_.get_executor(); }
  Shared& shared() { return shared_; }
  const ServerOptions& options() const { return shared_.options; }

  // The rest is for connections and streams of this thread.
  ExchangePool& exchanges() { return exchanges_; }
  // Output buffer of the connection that is being served; empty between steps.
  std::string& out() { return out_; }
  std::string_view date_line() const { return date_line_; }
  // The time of the last tick, precise enough for deadlines.
  std::chrono::steady_clock::time_point now() const { return now_; }
  bool draining() const { return shared_.draining.load(std::memory_order_relaxed); }
  void Enlist(Connection& connection) { connections_.push_back(connection); }
  void Enlist(Stream& stream) { streams_.push_back(stream); }
  void StopIfDrained();
  void Log(const Exchange& exchange, std::size_t bytes);

 private:
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
  // Runs the event loop. False: an allocation failed, and the loop must be run again.
  bool Loop();
  void Accept();
  void OnAccepted(Socket socket);
  void Refuse(Socket& socket, const std::string& client);
  void Tick();
  void Sweep();
  void Heartbeat();
  void BeginDrain();

  Shared& shared_;
  boost::asio::io_context context_{1};
  std::optional<Acceptor> acceptor_;
  Timer timer_{context_.get_executor()};
  Timer accept_pause_{context_.get_executor()};
  ExchangePool exchanges_;
  std::string out_;
  std::string log_;
  std::string refusal_;  // the 503 for refused connections
  std::string date_line_;
  std::int64_t date_second_ = 0;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_sweep_{};
  std::chrono::steady_clock::time_point next_heartbeat_{};
  std::chrono::steady_clock::time_point next_stream_sweep_{};
  bool ticking_ = false;    // the timer of Tick() is set
  bool accepting_ = false;  // async_accept() has begun
  bool drain_begun_ = false;
  std::shared_ptr<const std::string> heartbeat_ = std::make_shared<const std::string>(":\n\n");
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  boost::intrusive::list<Stream, boost::intrusive::constant_time_size<false>> streams_;
};

}  // namespace maejin::http
