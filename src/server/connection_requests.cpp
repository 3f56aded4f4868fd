// The part of a connection that dispatches requests to routes: access, limits, handlers and their responses.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "server/connection.h"
#include "server/request_checks.h"
#include "server/response_head.h"
#include "server/trace.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

constexpr std::string_view kEveryMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

constexpr std::uint16_t kHttpsPort = 443;

ServerProblem ProblemOf(HeadError error) {
  switch (error) {
    case HeadError::kTargetTooLong:
      return ServerProblem::kUriTooLong;
    case HeadError::kTooLarge:
      return ServerProblem::kHeadersTooLarge;
    case HeadError::kExpectation:
      return ServerProblem::kExpectationFailed;
    case HeadError::kMethod:
    case HeadError::kTransferCoding:
      return ServerProblem::kNotImplemented;
    case HeadError::kVersion:
      return ServerProblem::kVersionNotSupported;
    case HeadError::kMalformed:
    case HeadError::kNone:
      break;
  }
  return ServerProblem::kMalformedRequest;
}

// The stream of a HEAD request: the handler decides as for GET, and drops the stream as a closed one.
class ClosedStream final : public EventStream {
 public:
  void Send(SharedText) override {}
  void Close() override {}
  bool closed() const override { return true; }
};

}  // namespace

// A malformed request ends the connection: the start of the next request is unknown.
Connection::Next Connection::Fail(ServerProblem problem) {
  auto exchange = worker_.exchanges().Take();
  exchange->head.Parse("GET / HTTP/1.1\r\nHost:\r\n\r\n", worker_.options().head);
  FillRequest(*exchange, {});
  worker_.shared().problems.Write(problem, Language::kEnglish, exchange->response);
  worker_.shared().metrics.malformed.Add();
  keep_alive_ = false;
  unread_ = true;
  Answer(std::move(exchange));
  return Next::kEnd;
}

Connection::Next Connection::FailHead(HeadError error) { return Fail(ProblemOf(error)); }

void Connection::AnswerTimeout() { Fail(ServerProblem::kRequestTimeout); }

Connection::Next Connection::Refuse(std::unique_ptr<Exchange> exchange, const Refused& refused) {
  worker_.shared().problems.Write(refused, exchange->request, exchange->response);
  Answer(std::move(exchange));
  return Next::kAgain;
}

Connection::Next Connection::RefuseUnread(std::unique_ptr<Exchange> exchange, const Refused& refused) {
  unread_ = true;
  keep_alive_ = false;
  return Refuse(std::move(exchange), refused);
}

Connection::Next Connection::Options(std::unique_ptr<Exchange> exchange, std::string_view allow) {
  worker_.shared().cors().AnswerOptions(exchange->request, allow, exchange->response);
  Answer(std::move(exchange));
  return Next::kAgain;
}

// Redirects to the same URL with https. The host is the request's own Host, whose characters the parser has
// checked.
Connection::Next Connection::Redirect(std::unique_ptr<Exchange> exchange) {
  auto host = exchange->request.Header("Host");
  const bool ipv6 = host.starts_with('[');
  const auto end = host.find(ipv6 ? ']' : ':');
  host = host.substr(0, ipv6 && end != host.npos ? end + 1 : end);
  if (host.empty()) return Refuse(std::move(exchange), Refusal::kNotFound);
  std::string to = "https://" + std::string(host);
  if (peer_.listener.https_port != kHttpsPort) to += ":" + std::to_string(peer_.listener.https_port);
  const auto target = exchange->request.target;
  exchange->response.status = 308;
  exchange->response.AddHeader("Location", to + std::string(target.front() == '/' ? target : "/"));
  Answer(std::move(exchange));
  return Next::kAgain;
}

Connection::Next Connection::Dispatch(std::unique_ptr<Exchange> exchange) {
  auto& shared = worker_.shared();
  auto& request = exchange->request;
  if (peer_.listener.serves == ListenerOptions::Serves::kRedirect) return Redirect(std::move(exchange));
  if (request.path == "*") return Options(std::move(exchange), kEveryMethod);
  if (!exchange->route) {
    const auto matched = shared.router.Match(request);
    if (!matched.ok()) {
      const bool asks = request.method == Method::kOptions && matched.error() == Refusal::kMethodNotAllowed;
      if (asks) return Options(std::move(exchange), matched.error().about + ", OPTIONS");
      return Refuse(std::move(exchange), matched.error());
    }
    exchange->route = *matched;
  }
  const Route& route = *exchange->route;
  const auto refused = FindRefusal(shared, peer_.listener, slot_, *exchange, worker_.now());
  if (refused) return Refuse(std::move(exchange), *refused);
  if (shared.intercept && shared.intercept(route, request, exchange->response)) {
    Answer(std::move(exchange));
    return Next::kAgain;
  }
  if (route.inline_handler) {
    try {
      if (route.inline_handler(request, exchange->response)) {
        Answer(std::move(exchange));
        return Next::kAgain;
      }
    } catch (...) {
      AnswerWithError(shared.problems, *exchange, std::current_exception());
      Answer(std::move(exchange));
      return Next::kAgain;
    }
  }
  if (route.stream) return StartStream(std::move(exchange));
  if (route.upload) return StartUpload(std::move(exchange));
  return RunHandler(std::move(exchange));
}

bool Connection::CountForwarded(const Exchange& exchange) {
  if (exchange.forwarded_client.empty() || !exchange.route->counts_for_address) return true;
  return worker_.shared().limits.TakeForwarded(exchange.forwarded_client, forwarded_);
}

Connection::Next Connection::RunHandler(std::unique_ptr<Exchange> exchange) {
  if (!CountForwarded(*exchange)) return Refuse(std::move(exchange), TooManyOfAddress(worker_.shared()));
  exchange_ = std::move(exchange);
  state_ = State::kRunning;
  deadline_ = TimePoint::max();
  return Spawn(Serve(Pointer(this)));
}

Connection::Next Connection::Spawn(Task<void> serve) {
  served_ = false;
  spawning_ = true;
  worker_.shared().shedding.Begin();
  try {
    boost::asio::co_spawn(worker_.executor(), std::move(serve), boost::asio::detached);
  } catch (const std::bad_alloc&) {
    worker_.shared().shedding.End();
    spawning_ = false;
    throw;  // Guard() ends the connection
  }
  spawning_ = false;
  if (!served_) return Next::kWait;
  Answer(std::move(exchange_));
  return Next::kAgain;
}

Task<void> Connection::Serve(Pointer self) {
  Exchange& exchange = *self->exchange_;
  const ProblemWriter& problems = self->worker_.shared().problems;
  std::exception_ptr thrown;
  try {
    const auto outcome = co_await exchange.route->handler(exchange.request, exchange.response);
    if (!outcome.ok()) problems.Write(outcome.error(), exchange.request, exchange.response);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) AnswerWithError(problems, exchange, thrown);
  self->OnServed();
}

void Connection::OnServed() {
  worker_.shared().shedding.End();
  served_ = true;
  if (spawning_) return;
  if (state_ == State::kClosed) {
    exchange_.reset();
    return;
  }
  Guard([this] { AnswerServed(); });
}

void Connection::AnswerServed() {
  keep_alive_ = keep_alive_ && !worker_.draining();
  Answer(std::move(exchange_));
  if (keep_alive_) {
    // The next pipelined request waits until this answer is sent, so that unsent output stays small.
    if (!owed_.empty()) Flush();
    if (!writing_ && state_ != State::kClosed) Process();
    return;
  }
  ending_ = true;
  unread_ = unread_ || buffer_.size() > 0;
  Flush();
  if (!writing_ && state_ != State::kClosed) End();
}

Connection::Next Connection::StartStream(std::unique_ptr<Exchange> exchange) {
  std::vector<KeyedCount> counts;
  const bool counted = CountForwarded(*exchange);
  if (!counted || !CountStream(worker_.shared(), exchange->request, counts)) {
    const auto& shared = worker_.shared();
    shared.metrics.refused_streams.Add();
    return Refuse(std::move(exchange), counted ? TooManyStreams(shared) : TooManyOfAddress(shared));
  }
  if (exchange->request.method == Method::kHead) {
    const auto outcome = exchange->route->stream(exchange->request, std::make_shared<ClosedStream>());
    if (!outcome.ok()) return Refuse(std::move(exchange), outcome.error());
    exchange->response.content_type = "text/event-stream";
    Answer(std::move(exchange));
    return Next::kAgain;
  }
  if (!exchange->forwarded_client.empty()) counts.push_back(std::move(forwarded_));
  const auto stream = std::make_shared<Stream>(worker_);
  const auto outcome = exchange->route->stream(exchange->request, stream);
  if (!outcome.ok()) return Refuse(std::move(exchange), outcome.error());
  // The stream has no length and no chunks: its body ends with the connection.
  std::string first = owed_.Take() + worker_.out();
  worker_.out().clear();
  first += "HTTP/1.1 200 OK\r\n";
  first += worker_.date_line();
  first += "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Accel-Buffering: no\r\n";
  auto& response = exchange->response;
  worker_.shared().cors().AddHeaders(exchange->request, response);
  if (!exchange->request.request_id.empty()) AddTrace(exchange->request, response);
  first += response.extra_headers;
  first += "Connection: close\r\n\r\n";
  worker_.shared().metrics.CountAnswer(exchange->route, 200, std::chrono::nanoseconds(0));
  if (worker_.shared().access_log.enabled()) worker_.Log(*exchange, 0);
  worker_.exchanges().Give(std::move(exchange));
  stream->Start(std::move(socket_), std::move(slot_), std::move(first), peer_.address);
  stream->Keep(std::move(counts));
  state_ = State::kClosed;
  unlink();
  return Next::kWait;
}

}  // namespace maejin::http
