#include "server/connection.h"

#include <cstring>

#include "base/log.h"
#include "server/language.h"
#include "server/request_checks.h"
#include "server/response_head.h"
#include "server/trace.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

// How many empty lines before a request the server ignores (RFC 9112, 2.2).
constexpr int kEmptyLines = 4;

// Which part of a head beyond the limit is too long: the target, or the header fields.
HeadError TooLong(std::string_view bytes, const HeadLimits& limits) {
  const auto line = bytes.substr(0, bytes.find('\n'));
  const auto target = line.substr(std::min(line.find(' '), line.size()));
  const auto rest = target.size() - std::min<std::size_t>(target.size(), sizeof "  HTTP/1.1\r");
  return rest > std::min(limits.target, limits.whole / 2) ? HeadError::kTargetTooLong : HeadError::kTooLarge;
}

}  // namespace

Connection::Next Connection::Advance() {
  if (state_ == State::kBody) return TakeBody();
  SkipEmptyLines();
  const auto bytes = buffer_.View();
  if (bytes.empty()) {
    buffer_.Shrink();
    if (worker_.draining()) return Next::kEnd;
    if (state_ != State::kIdle) SetWaitDeadline(worker_.options().idle_deadline);
    state_ = State::kIdle;
    return Next::kRead;
  }
  if (state_ == State::kIdle) {
    state_ = State::kHead;
    SetDeadline(worker_.options().header_deadline);
  }
  if (bytes == "\r") return Next::kRead;  // may be the beginning of an empty line
  const auto& limits = worker_.options().head;
  switch (scanner_.Scan(bytes)) {
    case HeadScanner::State::kMalformed:
      return FailHead(HeadError::kMalformed);
    case HeadScanner::State::kIncomplete:
      if (bytes.size() <= limits.whole) return Next::kRead;
      return FailHead(TooLong(bytes, limits));
    case HeadScanner::State::kComplete:
      break;
  }
  if (scanner_.length() > limits.whole) return FailHead(TooLong(bytes, limits));
  return TakeHead();
}

void Connection::SkipEmptyLines() {
  if (scanner_.length() > 0) return;
  for (int i = 0; i < kEmptyLines && buffer_.View().substr(0, 2) == "\r\n"; ++i) buffer_.Consume(2);
}

Connection::Next Connection::TakeHead() {
  auto exchange = worker_.exchanges().Take();
  const auto bytes = buffer_.View();
  const auto head_size = scanner_.length();
  const auto error = exchange->head.Parse(bytes.substr(0, head_size), worker_.options().head);
  if (error != HeadError::kNone) {
    worker_.exchanges().Give(std::move(exchange));
    return FailHead(error);
  }
  const auto& head = exchange->head;
  FillRequest(*exchange, {});
  if (!head.has_body()) {
    head_size_ = head_size;
    body_size_ = 0;
    return Dispatch(std::move(exchange));
  }
  if (head.coded_body()) return RefuseUnread(std::move(exchange), Refusal::kUnsupportedMediaType);
  // Match the route now: an upload route must not buffer its body.
  const auto matched = worker_.shared().router.Match(exchange->request);
  if (matched.ok() && (*matched)->upload) {
    exchange->route = *matched;
    head_size_ = head_size;
    const auto refused = FindRefusal(worker_.shared(), peer_.listener, slot_, *exchange, worker_.now());
    if (refused) return RefuseUnread(std::move(exchange), *refused);
    return StartUpload(std::move(exchange));
  }
  if (head.content_length() > worker_.options().body_limit)
    return RefuseUnread(std::move(exchange), Refusal::kPayloadTooLarge);
  const bool wants_continue = head.expects_continue() && bytes.size() == head_size;
  BeginBody(head_size);
  body_size_ = head.chunked() ? 0 : static_cast<std::size_t>(head.content_length());
  if (!head.chunked() && bytes.size() >= head_size + body_size_) {
    exchange->request.body = bytes.substr(head_size, body_size_);
    if (matched.ok()) exchange->route = *matched;
    return Dispatch(std::move(exchange));
  }
  const bool chunked = head.chunked();
  worker_.exchanges().Give(std::move(exchange));
  if (wants_continue) worker_.out() += kContinue;
  if (chunked) return TakeChunks();
  buffer_.Reserve(head_size + body_size_ - bytes.size());
  return Next::kRead;
}

void Connection::BeginBody(std::size_t head_size) {
  head_size_ = head_size;
  state_ = State::kBody;
  chunks_.Reset();
  received_ = buffer_.size() - head_size;
  body_started_ = worker_.now();
  SetDeadline(worker_.options().body_grace);
}

// Parses the head again after each read of the body. This is cheaper than to keep a parsed head for every
// slow body.
Connection::Next Connection::TakeBody() {
  const auto bytes = buffer_.View();
  auto exchange = worker_.exchanges().Take();
  exchange->head.Parse(bytes.substr(0, head_size_), worker_.options().head);
  if (exchange->head.chunked()) {
    worker_.exchanges().Give(std::move(exchange));
    return TakeChunks();
  }
  if (bytes.size() < head_size_ + body_size_) {
    worker_.exchanges().Give(std::move(exchange));
    return Next::kRead;
  }
  FillRequest(*exchange, bytes.substr(head_size_, body_size_));
  return Dispatch(std::move(exchange));
}

// The buffer holds the head, the decoded body and raw bytes. Decoding moves the bytes, so that the body is
// contiguous.
Connection::Next Connection::TakeChunks() {
  char* body = buffer_.data() + head_size_;
  const auto raw = buffer_.size() - head_size_ - body_size_;
  const auto step = chunks_.Decode(body + body_size_, raw, body + body_size_);
  body_size_ += step.produced;
  const auto rest = raw - step.consumed;
  std::memmove(body + body_size_, body + body_size_ + step.consumed - step.produced, rest);
  buffer_.Trim(step.consumed - step.produced);
  if (step.state == ChunkDecoder::State::kMalformed) return FailHead(HeadError::kMalformed);
  auto exchange = worker_.exchanges().Take();
  const auto bytes = buffer_.View();
  exchange->head.Parse(bytes.substr(0, head_size_), worker_.options().head);
  FillRequest(*exchange, bytes.substr(head_size_, body_size_));
  if (body_size_ > worker_.options().body_limit)
    return RefuseUnread(std::move(exchange), Refusal::kPayloadTooLarge);
  if (step.state == ChunkDecoder::State::kDone) return Dispatch(std::move(exchange));
  worker_.exchanges().Give(std::move(exchange));
  return Next::kRead;
}

void Connection::FillRequest(Exchange& exchange, std::string_view body) {
  const auto& head = exchange.head;
  auto& request = exchange.request;
  request.method = head.method();
  request.target = head.target();
  request.path = head.path();
  request.query = head.query();
  request.body = body;
  request.headers = &head;
  request.client = peer_.address;
  request.through_trusted_proxy = peer_.trusted_proxy;
  request.secure = peer_.listener.tls;
  request.from_other_site = request.method == Method::kPost && worker_.shared().cors().IsForeign(request);
  request.language = PreferredLanguage(head.accept_language());
  exchange.started = std::chrono::steady_clock::now();
  requested_ = true;
  keep_alive_ = head.keep_alive() && !worker_.draining();
  request.request_id = request.traceparent = {};
  if (!head.trace().empty() || worker_.shared().access_log.enabled()) worker_.Identify(exchange);
  exchange.forwarded_client.clear();  // the exchange served another connection before
  if (!peer_.trusted_proxy) return;
  exchange.forwarded_client = worker_.shared().proxies().ClientOf(head);
  if (!exchange.forwarded_client.empty()) request.client = exchange.forwarded_client;
}

void Connection::Answer(std::unique_ptr<Exchange> exchange) {
  auto& response = exchange->response;
  auto& shared = worker_.shared();
  if (shared.cors().enabled()) shared.cors().AddHeaders(exchange->request, response);
  if (!exchange->request.request_id.empty()) AddTrace(exchange->request, response);
  if (exchange->route && exchange->route->has_age) AddAge(shared, response);
  if (response.close || response.copies == 0) keep_alive_ = false;
  // A client that is refused on a reserved connection does not keep it.
  if (response.status >= 400 && slot_.restricted()) keep_alive_ = false;
  forwarded_ = KeyedCount();
  AnswerForm form;
  form.head_only = exchange->request.method == Method::kHead;
  form.http10 = exchange->head.http10();
  form.keep_alive = keep_alive_;
  form.date_line = worker_.date_line();
  auto& out = worker_.out();
  const auto& body = response.shared_body;
  const bool share = body && body->size() >= OwedBytes::kShareFrom && HasBody(response, form);
  form.head_only = form.head_only || share;
  for (int copy = 0; copy < response.copies; ++copy) AppendAnswer(response, form, out);
  if (share) {
    owed_.Add(out);
    out.clear();
    owed_.Add(body);
  }
  const auto took = std::chrono::steady_clock::now() - exchange->started;
  shared.metrics.CountAnswer(exchange->route, response.status, took);
  if (response.refusal) {
    shared.metrics.CountRefusal(*response.refusal);
    LogDebug("http: {} {} was refused: {}", Name(exchange->request.method),
             exchange->route != nullptr ? std::string_view(exchange->route->pattern) : "-",
             Code(*response.refusal));
  }
  if (shared.access_log.enabled()) worker_.Log(*exchange, response.Body().size());
  worker_.exchanges().Give(std::move(exchange));
  // The request has been answered: discard its bytes.
  buffer_.Consume(head_size_ + body_size_);
  head_size_ = body_size_ = 0;
  scanner_.Reset();
  state_ = State::kHead;
  SetDeadline(worker_.options().header_deadline);
}

}  // namespace maejin::http
