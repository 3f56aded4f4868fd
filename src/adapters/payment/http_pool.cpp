#include "adapters/payment/http_pool.h"

#include <deque>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <boost/asio/ssl.hpp>

#include "base/await.h"
#include "base/log.h"

namespace maejin::payment {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

using Stream = beast::basic_stream<asio::ip::tcp, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;
using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
using Fate = HttpReply::Fate;

constexpr std::uint64_t kLongestAnswer = 1 << 20;

struct Line {
  Line(Executor executor, asio::ssl::context* tls_context) : stream(executor) {
    if (tls_context) tls.emplace(stream, *tls_context);
  }
  Stream stream;
  std::optional<asio::ssl::stream<Stream&>> tls;  // absent: plain HTTP
  beast::flat_buffer buffer;
  bool used = false;  // it has answered before
};

}  // namespace

namespace {

std::optional<asio::ssl::context> MakeTls(const HttpPoolOptions& options) {
  if (!options.tls) return {};
  std::optional<asio::ssl::context> tls(std::in_place, asio::ssl::context::tls_client);
  boost::system::error_code error;
  if (options.tls_ca_file.empty()) {
    tls->set_default_verify_paths(error);
  } else {
    tls->load_verify_file(options.tls_ca_file, error);
  }
  if (error) throw std::runtime_error("cannot read " + options.tls_ca_file + ": " + error.message());
  return tls;
}

}  // namespace

// Everything in it belongs to its one thread.
class HttpPool::Inside {
 public:
  explicit Inside(HttpPoolOptions options)
      : options_(std::move(options)),
        tls_(MakeTls(options_)),
        work_(context_.get_executor()),
        thread_([this] { context_.run(); }) {}

  ~Inside() {
    asio::post(context_, [this] { End(); });
    work_.reset();
    thread_.join();
  }

  Executor executor() { return context_.get_executor(); }

  Task<HttpReply> Ask(HttpAsk ask) {
    const auto deadline = SteadyClock::now() + options_.deadline;
    HttpReply reply;
    bool sent = false;
    bool again = true;
    while (again) {
      const auto line = co_await Take(deadline);
      if (!line) {
        if (!sent) reply.fate = Fate::kNotReached;
        co_return reply;
      }
      sent = true;
      const bool kept = line->used;
      line->stream.expires_at(deadline);
      const bool healthy = co_await Exchange(line, ask, reply);
      // A kept connection that ended before it said a word: the server had closed it.
      again = !healthy && kept && reply.status == 0 && !ending_ && SteadyClock::now() < deadline;
      Give(line, healthy);
    }
    co_return reply;
  }

 private:
  // A connection to be used alone; none where they are all in use until the deadline, or none can be made.
  Task<std::shared_ptr<Line>> Take(SteadyClock::time_point deadline) {
    if (ending_) co_return nullptr;
    while (lines_.size() >= options_.connections && idle_.empty()) {
      if (waiting_.size() >= options_.waiting) co_return nullptr;
      Timer turn(context_.get_executor(), deadline);
      waiting_.push_back(&turn);
      const auto [woken] = co_await turn.async_wait(kAwait);
      std::erase(waiting_, &turn);
      if (!woken || ending_) co_return nullptr;
    }
    if (!idle_.empty()) {
      auto line = std::move(idle_.back());
      idle_.pop_back();
      co_return line;
    }
    auto line = std::make_shared<Line>(context_.get_executor(), tls_ ? &*tls_ : nullptr);
    lines_.insert(line);
    const bool connected = co_await Connect(line, deadline);
    if (connected) co_return line;
    Give(line, false);
    co_return nullptr;
  }

  Task<bool> Connect(std::shared_ptr<Line> line, SteadyClock::time_point deadline) {
    line->stream.expires_at(deadline);
    bool connected = false;
    beast::error_code is_name;
    const auto address = asio::ip::make_address(options_.host, is_name);
    if (is_name) {
      connected = co_await ConnectByName(line);
    } else {
      const asio::ip::tcp::endpoint endpoint(address, options_.port);
      const auto [error] = co_await line->stream.async_connect(endpoint, kAwait);
      connected = !error;
    }
    if (!connected) co_return false;
    beast::error_code ignored;
    line->stream.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!line->tls) co_return true;
    // SSL_set_tlsext_host_name without its old-style casts.
    SSL_ctrl(line->tls->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             options_.host.data());
    line->tls->set_verify_mode(asio::ssl::verify_peer);
    line->tls->set_verify_callback(asio::ssl::host_name_verification(options_.host));
    const auto [refused] = co_await line->tls->async_handshake(asio::ssl::stream_base::client, kAwait);
    if (refused && !warned_) LogWarning("payments: TLS with {}: {}", options_.host, refused.message());
    warned_ = static_cast<bool>(refused);
    co_return !refused;
  }

  Task<bool> ConnectByName(std::shared_ptr<Line> line) {
    Resolver resolver(context_.get_executor());
    const auto [unknown, found] =
        co_await resolver.async_resolve(options_.host, std::to_string(options_.port), kAwait);
    if (unknown) co_return false;
    const auto [error, reached] = co_await line->stream.async_connect(found, kAwait);
    co_return !error;
  }

  Task<bool> Exchange(std::shared_ptr<Line> line, HttpAsk ask, HttpReply& reply) {
    bool healthy = false;
    if (line->tls) {
      healthy = co_await ExchangeOver(*line->tls, line, std::move(ask), reply);
    } else {
      healthy = co_await ExchangeOver(line->stream, line, std::move(ask), reply);
    }
    co_return healthy;
  }

  // Whether the connection is in step afterwards.
  template <class Channel>
  Task<bool> ExchangeOver(Channel& channel, std::shared_ptr<Line> line, HttpAsk ask, HttpReply& reply) {
    reply = HttpReply{};
    bhttp::request<bhttp::string_body> request;
    Fill(ask, request);
    const auto [write_error, written] = co_await bhttp::async_write(channel, request, kAwait);
    if (write_error) co_return false;
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(kLongestAnswer);
    const auto [read_error, read] = co_await bhttp::async_read(channel, line->buffer, parser, kAwait);
    if (read_error) {
      // Something came, so that the server has seen the request: not to be sent again.
      if (parser.got_some()) reply.status = -1;
      co_return false;
    }
    reply.status = static_cast<int>(parser.get().result_int());
    reply.body = std::move(parser.get().body());
    if (reply.body.find(ask.expected) == std::string::npos) co_return false;
    reply.fate = Fate::kAnswered;
    line->used = true;
    // More than was asked for: an answer too many, which the next call must not take for its own.
    co_return parser.keep_alive() && line->buffer.size() == 0;
  }

  void Fill(const HttpAsk& ask, bhttp::request<bhttp::string_body>& request) const {
    request.method_string(ask.method);
    request.target(ask.target);
    request.version(11);
    request.set(bhttp::field::host, options_.host + ":" + std::to_string(options_.port));
    for (const auto& [name, value] : ask.headers) request.set(name, value);
    if (!ask.body.empty()) request.set(bhttp::field::content_type, "application/json");
    request.body() = ask.body;
    request.prepare_payload();
  }

  void Give(const std::shared_ptr<Line>& line, bool healthy) {
    if (healthy && !ending_) {
      idle_.push_back(line);
    } else {
      line->stream.close();
      lines_.erase(line);
    }
    if (waiting_.empty()) return;
    waiting_.front()->cancel();
    waiting_.pop_front();
  }

  void End() {
    ending_ = true;
    idle_.clear();
    for (const auto& line : lines_) line->stream.close();
    for (auto* turn : waiting_) turn->cancel();
    waiting_.clear();
  }

  HttpPoolOptions options_;
  std::optional<asio::ssl::context> tls_;  // outlives the connections
  bool warned_ = false;                    // about the last handshake
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_;
  std::set<std::shared_ptr<Line>> lines_;    // all of them
  std::vector<std::shared_ptr<Line>> idle_;  // those of them that nobody uses
  std::deque<Timer*> waiting_;               // first come, first served
  bool ending_ = false;
  std::thread thread_;  // last: starts when everything else stands
};

HttpPool::HttpPool(HttpPoolOptions options) : inside_(std::make_unique<Inside>(std::move(options))) {}
HttpPool::~HttpPool() = default;

Task<HttpReply> HttpPool::Call(HttpAsk ask) {
  return asio::co_spawn(inside_->executor(), inside_->Ask(std::move(ask)), asio::use_awaitable_t<Executor>{});
}

void HttpPool::Spawn(Task<Done> task) {
  asio::co_spawn(inside_->executor(), std::move(task), [](std::exception_ptr, Done) {});
}

}  // namespace maejin::payment
