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
using Delivery = HttpReply::Delivery;

constexpr std::uint64_t kMaxResponse = 1 << 20;

struct Connection {
  Connection(Executor executor, asio::ssl::context* tls_context) : stream(executor) {
    if (tls_context) tls.emplace(stream, *tls_context);
  }
  Stream stream;
  std::optional<asio::ssl::stream<Stream&>> tls;  // absent: plain HTTP
  beast::flat_buffer buffer;
  bool used = false;  // a request was answered on this connection
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

// Not thread-safe: all members belong to the pool's thread.
class HttpPool::Impl {
 public:
  explicit Impl(HttpPoolOptions options)
      : options_(std::move(options)),
        tls_(MakeTls(options_)),
        work_(context_.get_executor()),
        thread_([this] { context_.run(); }) {}

  ~Impl() {
    asio::post(context_, [this] { Stop(); });
    work_.reset();
    thread_.join();
  }

  Executor executor() { return context_.get_executor(); }

  Task<HttpReply> Ask(PoolRequest call) {
    const auto deadline = SteadyClock::now() + options_.deadline;
    HttpReply reply;
    bool sent = false;
    bool again = true;
    while (again) {
      const auto connection = co_await Acquire(deadline);
      if (!connection) {
        if (!sent) reply.delivery = Delivery::kNotReached;
        co_return reply;
      }
      sent = true;
      const bool kept = connection->used;
      connection->stream.expires_at(deadline);
      const bool healthy = co_await Exchange(connection, call, reply);
      // A kept connection broke before the response began: the server may have closed it before the request.
      again = !healthy && kept && reply.status == 0 && !stopping_ && SteadyClock::now() < deadline;
      Release(connection, healthy);
    }
    co_return reply;
  }

 private:
  // A connection for exclusive use. Null: none became free before the deadline, none could be opened, too
  // many calls wait, or the pool stops.
  Task<std::shared_ptr<Connection>> Acquire(SteadyClock::time_point deadline) {
    if (stopping_) co_return nullptr;
    while (connections_.size() >= options_.connections && idle_.empty()) {
      if (waiting_.size() >= options_.waiting) co_return nullptr;
      Timer turn(context_.get_executor(), deadline);
      waiting_.push_back(&turn);
      const auto [woken] = co_await turn.async_wait(kAwait);
      std::erase(waiting_, &turn);
      if (!woken || stopping_) co_return nullptr;
    }
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      co_return connection;
    }
    auto connection = std::make_shared<Connection>(context_.get_executor(), tls_ ? &*tls_ : nullptr);
    connections_.insert(connection);
    const bool connected = co_await Connect(connection, deadline);
    if (connected) co_return connection;
    Release(connection, false);
    co_return nullptr;
  }

  Task<bool> Connect(std::shared_ptr<Connection> connection, SteadyClock::time_point deadline) {
    connection->stream.expires_at(deadline);
    bool connected = false;
    beast::error_code is_name;
    const auto address = asio::ip::make_address(options_.host, is_name);
    if (is_name) {
      connected = co_await ConnectByName(connection);
    } else {
      const asio::ip::tcp::endpoint endpoint(address, options_.port);
      const auto [error] = co_await connection->stream.async_connect(endpoint, kAwait);
      connected = !error;
    }
    if (!connected) co_return false;
    beast::error_code ignored;
    connection->stream.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!connection->tls) co_return true;
    // SSL_set_tlsext_host_name without its old-style casts.
    SSL_ctrl(connection->tls->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             options_.host.data());
    connection->tls->set_verify_mode(asio::ssl::verify_peer);
    connection->tls->set_verify_callback(asio::ssl::host_name_verification(options_.host));
    const auto [refused] = co_await connection->tls->async_handshake(asio::ssl::stream_base::client, kAwait);
    if (refused && !warned_) LogWarning("payments: TLS with {}: {}", options_.host, refused.message());
    warned_ = static_cast<bool>(refused);
    co_return !refused;
  }

  Task<bool> ConnectByName(std::shared_ptr<Connection> connection) {
    Resolver resolver(context_.get_executor());
    const auto [unknown, found] =
        co_await resolver.async_resolve(options_.host, std::to_string(options_.port), kAwait);
    if (unknown) co_return false;
    const auto [error, reached] = co_await connection->stream.async_connect(found, kAwait);
    co_return !error;
  }

  Task<bool> Exchange(std::shared_ptr<Connection> connection, PoolRequest call, HttpReply& reply) {
    bool healthy = false;
    if (connection->tls) {
      healthy = co_await ExchangeOver(*connection->tls, connection, std::move(call), reply);
    } else {
      healthy = co_await ExchangeOver(connection->stream, connection, std::move(call), reply);
    }
    co_return healthy;
  }

  // Returns whether the connection can serve another call.
  template <class Channel>
  Task<bool> ExchangeOver(Channel& channel, std::shared_ptr<Connection> connection, PoolRequest call,
                          HttpReply& reply) {
    reply = HttpReply{};
    bhttp::request<bhttp::string_body> request;
    Fill(call, request);
    const auto [write_error, written] = co_await bhttp::async_write(channel, request, kAwait);
    if (write_error) co_return false;
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(kMaxResponse);
    const auto [read_error, read] = co_await bhttp::async_read(channel, connection->buffer, parser, kAwait);
    if (read_error) {
      // The response began, so the server has seen the request: no retry.
      if (parser.got_some()) reply.status = -1;
      co_return false;
    }
    reply.status = static_cast<int>(parser.get().result_int());
    reply.body = std::move(parser.get().body());
    if (reply.body.find(call.expected) == std::string::npos) co_return false;
    reply.delivery = Delivery::kAnswered;
    connection->used = true;
    // Left-over bytes are an extra response, which the next call must not take for its own.
    co_return parser.keep_alive() && connection->buffer.size() == 0;
  }

  void Fill(const PoolRequest& call, bhttp::request<bhttp::string_body>& request) const {
    request.method_string(call.method);
    request.target(call.target);
    request.version(11);
    request.set(bhttp::field::host, options_.host + ":" + std::to_string(options_.port));
    for (const auto& [name, value] : call.headers) request.set(name, value);
    if (!call.body.empty()) request.set(bhttp::field::content_type, "application/json");
    request.body() = call.body;
    request.prepare_payload();
  }

  void Release(const std::shared_ptr<Connection>& connection, bool healthy) {
    if (healthy && !stopping_) {
      idle_.push_back(connection);
    } else {
      connection->stream.close();
      connections_.erase(connection);
    }
    if (waiting_.empty()) return;
    waiting_.front()->cancel();
    waiting_.pop_front();
  }

  void Stop() {
    stopping_ = true;
    idle_.clear();
    for (const auto& connection : connections_) connection->stream.close();
    for (auto* turn : waiting_) turn->cancel();
    waiting_.clear();
  }

  HttpPoolOptions options_;
  std::optional<asio::ssl::context> tls_;  // outlives the connections
  bool warned_ = false;                    // the last handshake failed and was logged
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_;
  std::set<std::shared_ptr<Connection>> connections_;  // all connections, used and idle
  std::vector<std::shared_ptr<Connection>> idle_;      // open and unused
  std::deque<Timer*> waiting_;                         // calls that wait for a connection, oldest first
  bool stopping_ = false;
  std::thread thread_;  // the last member, so that the thread starts after the others exist
};

HttpPool::HttpPool(HttpPoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpPool::~HttpPool() = default;

Task<HttpReply> HttpPool::Call(PoolRequest call) {
  return asio::co_spawn(impl_->executor(), impl_->Ask(std::move(call)), asio::use_awaitable_t<Executor>{});
}

void HttpPool::Spawn(Task<Done> task) {
  asio::co_spawn(impl_->executor(), std::move(task), [](std::exception_ptr, Done) {});
}

}  // namespace maejin::payment
