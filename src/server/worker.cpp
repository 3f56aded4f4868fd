#include "server/worker.h"

#include <thread>

#include <sys/socket.h>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "server/response_head.h"

namespace maejin::http {
namespace {

constexpr auto kTick = std::chrono::milliseconds{50};
constexpr auto kSlowestSweep = std::chrono::milliseconds{500};
// Interval of the check for withdrawn texts in streams. Streams are many, so they are checked less often than
// connections.
constexpr auto kStreamSweep = std::chrono::milliseconds{1000};
// Pause after a failed allocation of the event loop itself.
constexpr auto kMemoryPause = std::chrono::milliseconds{10};
constexpr std::size_t kLogFlush = 64 * 1024;

// Sweeps are frequent enough to exceed no deadline by more than a quarter.
std::chrono::milliseconds SweepEvery(const ServerOptions& options) {
  const auto shortest = std::min({options.header_deadline, options.idle_deadline, options.body_grace,
                                  options.write_deadline, options.linger, options.read_window});
  return std::clamp(shortest / 4, std::chrono::milliseconds{1}, kSlowestSweep);
}

}  // namespace

Worker::~Worker() {
  while (!connections_.empty()) connections_.front().Abort();
  while (!streams_.empty()) streams_.front().CloseNow();
}

void Worker::Listen(Acceptor acceptor) { acceptor_.emplace(std::move(acceptor)); }

void Worker::Run() {
  next_heartbeat_ = now_ + options().stream_heartbeat;
  while (!Loop()) {
  }
  if (!log_.empty()) shared_.access_log.Write(log_);
}

// Connections handle their own failed allocations. This is for the rest: accepting, the clock, other tasks.
bool Worker::Loop() {
  try {
    if (!ticking_) Tick();
    if (!accepting_ && acceptor_ && acceptor_->is_open()) Accept();
    context_.run();
    return true;
  } catch (const std::bad_alloc&) {
    out_.clear();
    LogError("http: out of memory; the serving thread goes on");
    std::this_thread::sleep_for(kMemoryPause);
    return false;
  }
}

void Worker::Accept() {
  accepting_ = false;
  acceptor_->async_accept(context_.get_executor(), [this](boost::system::error_code error, Socket socket) {
    accepting_ = false;  // until Accept() has begun again
    // A connection may have been accepted just before Drain() closed the acceptor: it is served too.
    if (!error) OnAccepted(std::move(socket));
    if (!acceptor_ || !acceptor_->is_open()) return;
    if (!error) return Accept();
    // Out of descriptors: retrying at once would use the CPU that is needed to free some.
    LogWarning("http: cannot accept: {}", error.message());
    accept_pause_.expires_after(std::chrono::milliseconds{100});
    accept_pause_.async_wait([this](boost::system::error_code) {
      accepting_ = false;
      if (acceptor_ && acceptor_->is_open()) Accept();
    });
    accepting_ = true;
  });
  accepting_ = true;
}

void Worker::OnAccepted(Socket socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  auto address = remote.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  }
  const bool proxy = shared_.proxies.Trusts(address);
  auto slot = shared_.limits.Take(address, proxy);
  if (!slot) return Refuse(socket, address.to_string());
  shared_.metrics.accepted.Add();
  socket.set_option(Tcp::no_delay(true), error);
  socket.non_blocking(true, error);
  Connection::Peer peer{address.to_string(), proxy};
  const Connection::Pointer connection(
      new Connection(*this, std::move(socket), std::move(slot), std::move(peer)));
  connection->Start();
}

// Sends a 503 without reading the request. Bytes that have arrived are discarded: closing with unread bytes
// would reset the connection, and the client would not see the response.
void Worker::Refuse(Socket& socket, const std::string& client) {
  shared_.metrics.refused_connections.Add();
  if (refusal_.empty()) {
    Response response;
    shared_.problems.Write(Refusal::kUnavailable, Request{}, response);
    AnswerForm form;
    form.keep_alive = false;
    form.date_line = date_line_;
    AppendAnswer(response, form, refusal_);
  }
  char scratch[4096];
  recv(socket.native_handle(), scratch, sizeof scratch, MSG_DONTWAIT);
  send(socket.native_handle(), refusal_.data(), refusal_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  boost::system::error_code ignored;
  socket.shutdown(Socket::shutdown_send, ignored);
  const auto left_out = shared_.refused_log.Take();
  if (!left_out) return;
  LogWarning(
      "http: refused a connection from {}: {} of {} are open, or it has too many; {} more since the last "
      "line",
      client, shared_.limits.open(), shared_.limits.limit(), *left_out);
}

void Worker::Tick() {
  ticking_ = false;
  now_ = std::chrono::steady_clock::now();
  const auto second =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  if (second != date_second_) {
    date_second_ = second;
    date_line_ = FormatDateLine(second);
    refusal_.clear();
  }
  if (now_ >= next_sweep_) Sweep();
  if (now_ >= next_heartbeat_) Heartbeat();
  if (!log_.empty()) {
    shared_.access_log.Write(log_);
    log_.clear();
  }
  timer_.expires_after(std::min(kTick, SweepEvery(options())));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) Tick();
  });
  ticking_ = true;
}

void Worker::Sweep() {
  next_sweep_ = now_ + SweepEvery(options());
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Connection::Pointer connection(&*it++);
    connection->Sweep(now_);
  }
  if (now_ < next_stream_sweep_) return;
  next_stream_sweep_ = now_ + kStreamSweep;
  for (auto it = streams_.begin(); it != streams_.end();) {
    auto& stream = *it++;
    if (stream.withdrawn()) stream.shared_from_this()->Drop(DropReason::kWithdrawn);
  }
}

void Worker::Heartbeat() {
  next_heartbeat_ = now_ + options().stream_heartbeat;
  for (auto it = streams_.begin(); it != streams_.end();) {
    const auto stream = (it++)->shared_from_this();
    stream->SendNow(heartbeat_);
  }
}

void Worker::Log(const Exchange& exchange, std::size_t bytes) {
  AccessLine line;
  line.client = exchange.request.client;
  line.method = exchange.head.method_name();
  line.target = exchange.request.target;
  line.status = exchange.response.status;
  line.bytes = bytes;
  const auto took = std::chrono::steady_clock::now() - exchange.started;
  line.micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  AccessLog::AppendLine(line, std::string_view(date_line_).substr(6, 29), log_);
  if (log_.size() < kLogFlush) return;
  shared_.access_log.Write(log_);
  log_.clear();
}

void Worker::Drain() {
  boost::asio::post(context_, [this] { BeginDrain(); });
}

void Worker::BeginDrain() {
  if (drain_begun_) return;
  drain_begun_ = true;
  boost::system::error_code ignored;
  if (acceptor_) acceptor_->close(ignored);
  const auto farewell = std::make_shared<const std::string>("event: reconnect\ndata: {}\n\n");
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Connection::Pointer connection(&*it++);
    connection->Drain();
  }
  for (auto it = streams_.begin(); it != streams_.end();) {
    const auto stream = (it++)->shared_from_this();
    stream->Drain(farewell);
  }
  StopIfDrained();
}

// Stops the loop when the last connection has ended. Posted, because destructors call it.
void Worker::StopIfDrained() {
  if (!drain_begun_) return;
  boost::asio::post(context_, [this] {
    if (connections_.empty() && streams_.empty()) context_.stop();
  });
}

}  // namespace maejin::http
