#include "server/worker.h"

#include <array>
#include <iterator>
#include <random>
#include <thread>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "base/time.h"
#include "server/response_head.h"
#include "server/trace.h"

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

// The interval of sweeps: a quarter of the shortest deadline, because a deadline is enforced only by a sweep.
std::chrono::milliseconds SweepEvery(const ServerOptions& options) {
  const auto shortest = std::min({options.header_deadline, options.idle_deadline, options.body_grace,
                                  options.write_deadline, options.linger, options.read_window});
  return std::clamp(shortest / 4, std::chrono::milliseconds{1}, kSlowestSweep);
}

// The last frame of a stream. An EventSource reconnects after `retry`, which is random, so that the clients
// of a stopped server do not reconnect at the same time.
std::shared_ptr<const std::string> RandomFarewell() {
  static const auto kFarewells = [] {
    std::array<std::shared_ptr<const std::string>, 256> farewells;
    for (std::size_t i = 0; i < farewells.size(); ++i) {
      const auto retry_ms = 500 + 3500 * i / (farewells.size() - 1);
      farewells[i] = std::make_shared<const std::string>(
          fmt::format("retry: {}\nevent: reconnect\ndata: {{}}\n\n", retry_ms));
    }
    return farewells;
  }();
  thread_local std::minstd_rand engine{std::random_device{}()};
  return kFarewells[engine() % kFarewells.size()];
}

}  // namespace

void Worker::DropPending() {
  while (!connections_.empty()) connections_.front().Close();
  while (!streams_.empty()) streams_.front().CloseNow();
  context_.DropPending();
}

void Worker::Listen(Acceptor acceptor, ListenerOptions options) {
  listeners_.emplace_back(*this, std::move(acceptor), options);
}

void Worker::Run() {
  next_heartbeat_ = now_ + options().stream_heartbeat;
  while (!Loop()) {
  }
  if (!log_.empty()) shared_.access_log.Write(log_);
}

// Connections handle their own failed allocations. This function handles those of the listeners, of Tick()
// and of other tasks.
bool Worker::Loop() {
  try {
    if (!ticking_) Tick();
    for (auto& listener : listeners_) listener.Start();
    context_.run();
    return true;
  } catch (const std::bad_alloc&) {
    out_.clear();
    // Not formatted: there may be no memory for the text either.
    WriteLog(LogLevel::kError, "http: out of memory; the serving thread goes on");
    std::this_thread::sleep_for(kMemoryPause);
    return false;
  }
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
    const Transport::Pointer connection(&*it++);
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

// The first id of a thread is random, and the next ids count up from it. They are unique, but not secret.
void Worker::Identify(Exchange& exchange) {
  auto& request = exchange.request;
  request.traceparent = TraceParent(exchange.head.trace().traceparent);
  request.request_id = RequestId(exchange.head.trace().request_id);
  if (!request.request_id.empty()) return;
  exchange.own_request_id.clear();
  fmt::format_to(std::back_inserter(exchange.own_request_id), "{:016x}", next_request_id_++);
  request.request_id = exchange.own_request_id;
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
  line.request_id = exchange.request.request_id;
  line.traceparent = exchange.request.traceparent;
  if (options().json_log) {
    AccessLog::AppendJson(line, FormatTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())),
                          log_);
  } else {
    AccessLog::AppendLine(line, std::string_view(date_line_).substr(6, 29), log_);
  }
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
  for (auto& listener : listeners_) listener.Close();
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Transport::Pointer connection(&*it++);
    connection->Drain();
  }
  for (auto it = streams_.begin(); it != streams_.end();) {
    const auto stream = (it++)->shared_from_this();
    stream->Drain(RandomFarewell());
  }
  StopIfDrained();
}

// Stops the loop when the last connection has ended. The check is posted, because ~Transport() calls this
// before the connection has left the list.
void Worker::StopIfDrained() {
  if (!drain_begun_) return;
  boost::asio::post(context_, [this] {
    if (connections_.empty() && streams_.empty()) context_.stop();
  });
}

}  // namespace maejin::http
