#include "adapters/payment/http_pool.h"

#include <deque>
#include <set>
#include <thread>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/await.h"

namespace maejin::payment {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

using Stream = beast::basic_stream<asio::ip::tcp, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;
using Fate = HttpReply::Fate;

constexpr std::uint64_t kLongestAnswer = 1 << 20;

struct Line {
  explicit Line(Executor executor) : stream(executor) {}
  Stream stream;
  beast::flat_buffer buffer;
  bool used = false;  // it has answered before
};

}  // namespace

// Everything in it belongs to its one thread.
class HttpPool::Inside {
 public:
  explicit Inside(HttpPoolOptions options)
      : options_(std::move(options)), work_(context_.get_executor()), thread_([this] { context_.run(); }) {}

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
    auto line = std::make_shared<Line>(context_.get_executor());
    lines_.insert(line);
    const bool connected = co_await Connect(line, deadline);
    if (connected) co_return line;
    Give(line, false);
    co_return nullptr;
  }

  Task<bool> Connect(std::shared_ptr<Line> line, SteadyClock::time_point deadline) {
    line->stream.expires_at(deadline);
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(options_.host), options_.port);
    const auto [error] = co_await line->stream.async_connect(endpoint, kAwait);
    if (error) co_return false;
    beast::error_code ignored;
    line->stream.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    co_return true;
  }

  // Whether the connection is in step afterwards.
  Task<bool> Exchange(std::shared_ptr<Line> line, HttpAsk ask, HttpReply& reply) {
    reply = HttpReply{};
    bhttp::request<bhttp::string_body> request;
    Fill(ask, request);
    const auto [write_error, written] = co_await bhttp::async_write(line->stream, request, kAwait);
    if (write_error) co_return false;
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(kLongestAnswer);
    const auto [read_error, read] = co_await bhttp::async_read(line->stream, line->buffer, parser, kAwait);
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
