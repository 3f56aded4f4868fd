#include "adapters/payment/http_pool.h"

#include <deque>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/await.h"
#include "base/http_connection.h"
#include "base/log.h"
#include "base/timer.h"

namespace maejin::payment {
namespace {

namespace asio = boost::asio;

using SteadyClock = std::chrono::steady_clock;
using Delivery = HttpReply::Delivery;

constexpr std::uint64_t kMaxResponse = 1 << 20;

struct Connection {
  Connection(Executor executor, asio::ssl::context* tls) : http(executor, tls) {}
  HttpConnection http;
  bool used = false;  // a request was answered on this connection
};

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
      const bool healthy = co_await Exchange(connection, call, reply, deadline);
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
      SteadyTimer turn(context_.get_executor(), deadline);
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
    const auto why = co_await connection->http.Connect(options_.host, options_.port, deadline);
    if (tls_ && !why.empty() && !warned_) LogWarning("payments: {}: {}", options_.host, why);
    warned_ = !why.empty();
    co_return why.empty();
  }

  // Returns whether the connection can serve another call.
  Task<bool> Exchange(std::shared_ptr<Connection> connection, const PoolRequest& call, HttpReply& reply,
                      SteadyClock::time_point deadline) {
    reply = HttpReply{};
    HttpRequestHead head{call.method, call.target, fmt::format("{}:{}", options_.host, options_.port)};
    head.headers.assign(call.headers.begin(), call.headers.end());
    auto response = co_await connection->http.Exchange(std::move(head), call.body, kMaxResponse, deadline);
    if (response.status == 0) {
      // The response began, so the server has seen the request: no retry.
      if (response.began) reply.status = -1;
      co_return false;
    }
    reply.status = response.status;
    reply.body = std::move(response.body);
    if (reply.body.find(call.expected) == std::string::npos) co_return false;
    reply.delivery = Delivery::kAnswered;
    connection->used = true;
    co_return response.keeps;
  }

  void Release(const std::shared_ptr<Connection>& connection, bool healthy) {
    if (healthy && !stopping_) {
      idle_.push_back(connection);
    } else {
      connection->http.Close();
      connections_.erase(connection);
    }
    if (waiting_.empty()) return;
    waiting_.front()->cancel();
    waiting_.pop_front();
  }

  void Stop() {
    stopping_ = true;
    idle_.clear();
    for (const auto& connection : connections_) connection->http.Close();
    for (auto* turn : waiting_) turn->cancel();
    waiting_.clear();
  }

  HttpPoolOptions options_;
  std::optional<asio::ssl::context> tls_;  // outlives the connections
  bool warned_ = false;                    // the last connection failed, which was logged
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_;
  std::set<std::shared_ptr<Connection>> connections_;  // all connections, used and idle
  std::vector<std::shared_ptr<Connection>> idle_;      // open and unused
  std::deque<SteadyTimer*> waiting_;                   // calls that wait for a connection, oldest first
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
