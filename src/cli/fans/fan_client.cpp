#include "cli/fans/fan_client.h"

#include <deque>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include "base/await.h"
#include "base/time.h"
#include "cli/common/answer_json.h"
#include "cli/fans/fan_timer.h"

namespace maejin::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
namespace json = boost::json;

using Stream = beast::basic_stream<asio::ip::tcp, Executor>;

constexpr Seconds kTimeout{30};
constexpr Seconds kIdle{20};

}  // namespace

std::string FanAnswer::Text(std::string_view name) const {
  return body.is_object() ? TextOf(body.get_object(), name) : std::string();
}

std::int64_t FanAnswer::Number(std::string_view name, std::int64_t fallback) const {
  return body.is_object() ? NumberIn(body.get_object(), name).value_or(fallback) : fallback;
}

bool FanAnswer::Flag(std::string_view name) const {
  return body.is_object() && BoolOf(body.get_object(), name);
}

class FanClient::Connection {
 public:
  Connection(Executor executor, config::Address server) : executor_(executor), server_(std::move(server)) {}

  Task<FanAnswer> Call(FanRequest request) {
    FanAnswer answer;
    answer.sent = Now();
    // Reconnect instead of reusing a long idle connection: the server may close it, which would count as an
    // error.
    if (answer.sent - used_ > kIdle) stream_.reset();
    const bool sent = co_await Exchange(request, answer);
    if (!sent) stream_.reset();
    answer.answered = used_ = Now();
    co_return answer;
  }

 private:
  static FanAnswer::Moment Now() { return std::chrono::steady_clock::now(); }

  Task<bool> Exchange(FanRequest call, FanAnswer& answer) {
    if (!stream_) {
      const bool connected = co_await Connect();
      if (!connected) co_return false;
    }
    bhttp::request<bhttp::string_body> request;
    Fill(call, request);
    stream_->expires_after(kTimeout);
    const auto [write_error, written] = co_await bhttp::async_write(*stream_, request, kAwait);
    if (write_error) co_return false;
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(64ULL << 20);
    const auto [read_error, read] = co_await bhttp::async_read(*stream_, buffer_, parser, kAwait);
    if (read_error) co_return false;
    answer.status = static_cast<int>(parser.get().result_int());
    json::error_code not_json;
    answer.body = json::parse(parser.get().body(), not_json);
    co_return parser.keep_alive();
  }

  Task<bool> Connect() {
    stream_ = std::make_unique<Stream>(executor_);
    buffer_.clear();
    stream_->expires_after(kTimeout);
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(server_.host), server_.port);
    const auto [error] = co_await stream_->async_connect(endpoint, kAwait);
    co_return !error;
  }

  void Fill(const FanRequest& call, bhttp::request<bhttp::string_body>& request) const {
    request.method_string(call.method);
    request.target(call.target);
    request.version(11);
    request.set(bhttp::field::host, server_.ToString());
    if (!call.queue_token.empty()) request.set("X-Queue-Token", call.queue_token);
    if (!call.user.empty()) request.set("X-User-Id", call.user);
    if (!call.authorization.empty()) request.set(bhttp::field::authorization, call.authorization);
    if (!call.body.empty()) request.set(bhttp::field::content_type, "application/json");
    request.body() = call.body;
    request.prepare_payload();
  }

  Executor executor_;
  config::Address server_;
  std::unique_ptr<Stream> stream_;
  beast::flat_buffer buffer_;
  FanAnswer::Moment used_{};
};

// Reuses the most recently used connection first, to keep few connections open.
class FanClient::Pool {
 public:
  Pool(Executor executor, config::Address server, std::size_t most)
      : executor_(executor), server_(std::move(server)), most_(most) {}

  Task<FanAnswer> Call(FanRequest request) {
    while (idle_.empty() && open_ == most_) {
      FanTimer free(executor_, FanTimer::time_point::max());
      waiting_.push_back(&free);
      co_await free.async_wait(kAwait);
    }
    auto connection = Take();
    auto answer = co_await connection->Call(std::move(request));
    idle_.push_back(std::move(connection));
    if (!waiting_.empty()) {
      waiting_.front()->cancel();
      waiting_.pop_front();
    }
    co_return answer;
  }

 private:
  std::unique_ptr<Connection> Take() {
    if (idle_.empty()) {
      ++open_;
      return std::make_unique<Connection>(executor_, server_);
    }
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }

  Executor executor_;
  config::Address server_;
  std::size_t most_;
  std::size_t open_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::deque<FanTimer*> waiting_;
};

FanClient::FanClient(Executor executor, config::Address server, std::size_t connections)
    : pool_(std::make_unique<Pool>(executor, std::move(server), connections)) {}
FanClient::~FanClient() = default;

Task<FanAnswer> FanClient::Call(FanRequest request) { return pool_->Call(std::move(request)); }

}  // namespace maejin::cli
