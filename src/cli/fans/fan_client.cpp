#include "cli/fans/fan_client.h"

#include <deque>
#include <vector>

#include <boost/json.hpp>

#include "base/await.h"
#include "base/http_connection.h"
#include "base/time.h"
#include "base/timer.h"
#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kLongestAnswer = 64 << 20;
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
    if (answer.sent - used_ > kIdle) http_.reset();
    const bool keeps = co_await Exchange(request, answer);
    if (!keeps) http_.reset();
    answer.answered = used_ = Now();
    co_return answer;
  }

 private:
  static FanAnswer::Moment Now() { return std::chrono::steady_clock::now(); }

  // Returns whether the connection can serve another call.
  Task<bool> Exchange(const FanRequest& call, FanAnswer& answer) {
    if (!http_) {
      http_ = std::make_unique<HttpConnection>(executor_, nullptr);
      const auto why = co_await http_->Connect(server_.host, server_.port, Now() + kTimeout);
      if (!why.empty()) co_return false;
    }
    HttpRequestHead head{call.method, call.target, server_.ToString()};
    const auto add = [&head](std::string_view name, std::string_view value) {
      if (!value.empty()) head.headers.emplace_back(name, value);
    };
    add("X-Queue-Token", call.queue_token);
    add("X-User-Id", call.user);
    add("Authorization", call.authorization);
    const auto deadline = Now() + kTimeout;
    const auto response = co_await http_->Exchange(std::move(head), call.body, kLongestAnswer, deadline);
    if (response.status == 0) co_return false;
    answer.status = response.status;
    json::error_code not_json;
    answer.body = json::parse(response.body, not_json);
    co_return response.keeps;
  }

  Executor executor_;
  config::Address server_;
  std::unique_ptr<HttpConnection> http_;
  FanAnswer::Moment used_{};
};

// Reuses the most recently used connection first, to keep few connections open.
class FanClient::Pool {
 public:
  Pool(Executor executor, config::Address server, std::size_t most)
      : executor_(executor), server_(std::move(server)), most_(most) {}

  Task<FanAnswer> Call(FanRequest request) {
    while (idle_.empty() && open_ == most_) {
      SteadyTimer free(executor_, SteadyTimer::time_point::max());
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
  std::deque<SteadyTimer*> waiting_;
};

FanClient::FanClient(Executor executor, config::Address server, std::size_t connections)
    : pool_(std::make_unique<Pool>(executor, std::move(server), connections)) {}
FanClient::~FanClient() = default;

Task<FanAnswer> FanClient::Call(FanRequest request) { return pool_->Call(std::move(request)); }

}  // namespace maejin::cli
