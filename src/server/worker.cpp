#include "server/worker.h"

#include <thread>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "server/response_head.h"

namespace maejin::http {
namespace {

constexpr auto kTick = std::chrono::milliseconds{50};
constexpr auto kSlowestSweep = std::chrono::milliseconds{500};
// Streams are many and idle: they are looked at less often than connections.
constexpr auto kStreamSweep = std::chrono::milliseconds{1000};
// After a failed allocation of the event loop itself.
constexpr auto kMemoryPause = std::chrono::milliseconds{10};
constexpr std::size_t kLogFlush = 64 * 1024;

// Often enough that the shortest deadline is kept to a quarter.
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
    if (!acceptor_ || !acceptor_->is_open()) return;
    if (!error) {
      OnAccepted(std::move(socket));
      return Accept();
    }
    // Out of descriptors: trying again at once would burn the core that is needed to free some.
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
  if (!slot) {
    shared_.metrics.refused_connections.Add();
    return;
  }
  shared_.metrics.accepted.Add();
  socket.set_option(Tcp::no_delay(true), error);
  socket.non_blocking(true, error);
  Connection::Peer peer{address.to_string(), proxy};
  const Connection::Pointer connection(
      new Connection(*this, std::move(socket), std::move(slot), std::move(peer)));
  connection->Start();
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
  NoteEnd();
}

// The last one turns off the light; posted, because it may be called from a destructor.
void Worker::NoteEnd() {
  if (!drain_begun_) return;
  boost::asio::post(context_, [this] {
    if (connections_.empty() && streams_.empty()) context_.stop();
  });
}

}  // namespace maejin::http
