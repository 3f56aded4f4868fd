#include "server/connection.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <boost/asio/buffer.hpp>

#include "server/language.h"
#include "server/response_head.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

// Output of pipelined requests is written once it reaches this size.
constexpr std::size_t kFlushSize = 64 * 1024;
// Empty lines before a request that are ignored, as RFC 9112 asks.
constexpr int kEmptyLines = 4;
// Minimum space for one read.
constexpr std::size_t kLeastRoom = 2048;
// How long a reserved connection waits for a request.
constexpr std::chrono::milliseconds kReservedWait{2'000};
// The kernel takes no more output while this many bytes are unsent. Otherwise it buffers megabytes for a slow
// reader.
constexpr int kUnsentInKernel = 128 * 1024;
// The minimum reading rate grows by this factor while memory is scarce.
constexpr std::size_t kScarceFactor = 16;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Which part of a head beyond the limit is too long: the target, or the header fields.
HeadError TooLong(std::string_view bytes, const HeadLimits& limits) {
  const auto line = bytes.substr(0, bytes.find('\n'));
  const auto target = line.substr(std::min(line.find(' '), line.size()));
  const auto rest = target.size() - std::min<std::size_t>(target.size(), sizeof "  HTTP/1.1\r");
  return rest > std::min(limits.target, limits.whole / 2) ? HeadError::kTargetTooLong : HeadError::kTooLarge;
}

}  // namespace

Connection::Connection(Worker& worker, Socket socket, ConnectionSlot slot, Peer peer)
    : worker_(worker),
      socket_(std::move(socket)),
      slot_(std::move(slot)),
      peer_(std::move(peer)),
      charge_(worker.shared().owed, slot_.address()) {
  worker_.Enlist(*this);
}

Connection::~Connection() { worker_.StopIfDrained(); }

void Connection::Start() {
  SetWaitDeadline(worker_.draining() ? worker_.options().first_request_wait
                                     : worker_.options().header_deadline);
  Read();
}

void Connection::SetWaitDeadline(std::chrono::milliseconds ordinary) {
  SetDeadline(slot_.restricted() ? std::min(ordinary, kReservedWait) : ordinary);
}

void Connection::EndOutOfMemory() {
  worker_.out().clear();  // otherwise the next connection would send half an answer of this one
  Drop(DropReason::kOutOfMemory);
}

void Connection::SetDeadline(std::chrono::milliseconds from_now) { deadline_ = worker_.now() + from_now; }

void Connection::Read() {
  if (reading_ || state_ == State::kClosed) return;
  reading_ = true;
  buffer_.Reserve(kLeastRoom);
  socket_.async_read_some(boost::asio::buffer(buffer_.tail(), buffer_.room()),
                          [self = Pointer(this)](boost::system::error_code error, std::size_t count) {
                            self->Guard([&] { self->OnRead(error, count); });
                          });
}

void Connection::OnRead(boost::system::error_code error, std::size_t count) {
  reading_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close();
  if (state_ == State::kLingering) return Read();  // the bytes are discarded
  buffer_.Commit(count);
  if (state_ == State::kBody) received_ += count;
  Process();
}

// Serves the requests in the buffer and writes their answers together.
void Connection::Process() {
  while (true) {
    const Next next = Advance();
    if (next == Next::kAgain && keep_alive_) {
      if (worker_.out().size() < kFlushSize && owed_.empty()) continue;
      Flush();
      if (writing_ || state_ == State::kClosed) return;  // OnWritable() goes on
      continue;
    }
    if (next == Next::kEnd || next == Next::kAgain) {
      ending_ = true;
      unread_ = unread_ || buffer_.size() > 0;
    }
    Flush();
    if (state_ == State::kClosed || writing_) return;
    if (ending_) return End();
    if (next == Next::kRead) Read();
    return;
  }
}

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
  if (bytes == "\r") return Next::kRead;  // perhaps an empty line
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
  if (!head.has_body()) {
    Understand(*exchange, {});
    head_size_ = head_size;
    body_size_ = 0;
    return Dispatch(std::move(exchange));
  }
  Understand(*exchange, {});
  if (head.coded_body()) {
    unread_ = true;
    keep_alive_ = false;
    return Refuse(std::move(exchange), Refusal::kUnsupportedMediaType);
  }
  // Match the route now: an upload route must not buffer its body.
  const auto matched = worker_.shared().router.Match(exchange->request);
  if (matched.ok() && (*matched)->upload) {
    exchange->route = *matched;
    head_size_ = head_size;
    return StartUpload(std::move(exchange));
  }
  const bool announced_too_much = head.content_length() > worker_.options().body_limit;
  const bool wants_continue = head.expects_continue() && bytes.size() == head_size;
  if (announced_too_much) {
    unread_ = true;
    keep_alive_ = false;
    return Refuse(std::move(exchange), Refusal::kPayloadTooLarge);
  }
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

// Parses the head again when its body is complete: cheaper than keeping a parsed head for every slow body.
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
  Understand(*exchange, bytes.substr(head_size_, body_size_));
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
  Understand(*exchange, bytes.substr(head_size_, body_size_));
  if (body_size_ > worker_.options().body_limit) {
    unread_ = true;
    keep_alive_ = false;
    return Refuse(std::move(exchange), Refusal::kPayloadTooLarge);
  }
  if (step.state == ChunkDecoder::State::kDone) return Dispatch(std::move(exchange));
  worker_.exchanges().Give(std::move(exchange));
  return Next::kRead;
}

void Connection::Understand(Exchange& exchange, std::string_view body) {
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
  request.language = PreferredLanguage(head.accept_language());
  exchange.started = std::chrono::steady_clock::now();
  requested_ = true;
  keep_alive_ = head.keep_alive() && !worker_.draining();
  exchange.forwarded_client.clear();  // the exchange served another connection before
  if (!peer_.trusted_proxy) return;
  exchange.forwarded_client = worker_.shared().proxies.ClientOf(head);
  if (!exchange.forwarded_client.empty()) request.client = exchange.forwarded_client;
}

void Connection::Answer(std::unique_ptr<Exchange> exchange) {
  auto& response = exchange->response;
  auto& shared = worker_.shared();
  if (shared.cors.enabled()) shared.cors.AddHeaders(exchange->request, response);
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
  if (response.refusal) shared.metrics.CountRefusal(*response.refusal);
  if (shared.access_log.enabled()) worker_.Log(*exchange, response.Body().size());
  worker_.exchanges().Give(std::move(exchange));
  // The request has been answered: discard its bytes.
  buffer_.Consume(head_size_ + body_size_);
  head_size_ = body_size_ = 0;
  scanner_.Reset();
  state_ = State::kHead;
  SetDeadline(worker_.options().header_deadline);
}

void Connection::Flush() {
  auto& out = worker_.out();
  if (writing_ || !owed_.empty()) {
    owed_.Add(out);
    out.clear();
    if (writing_) {
      Charge();
      return;
    }
    if (!lowat_set_) {
      setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentInKernel,
                 sizeof kUnsentInKernel);
      lowat_set_ = true;
    }
    if (!owed_.SendTo(socket_.native_handle())) return Close();
    if (!owed_.empty() && Charge()) WaitToWrite();
    return;
  }
  if (out.empty()) return;
  const auto sent = send(socket_.native_handle(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    out.clear();
    return Close();
  }
  const auto count = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (count < out.size()) {
    owed_.Add(std::string_view(out).substr(count));
    if (Charge()) WaitToWrite();
  }
  if (out.capacity() > 4 * kFlushSize) std::string().swap(out);
  out.clear();
}

bool Connection::Charge() {
  DropReason reason{};
  if (charge_.Set(owed_.own_bytes(), reason)) return true;
  Drop(reason);
  return false;
}

void Connection::WaitToWrite() {
  if (!writing_) {
    window_started_ = worker_.now();
    window_delivered_ = Delivered();
  }
  writing_ = true;
  deadline_ = worker_.now() + worker_.options().write_deadline;
  socket_.async_wait(Socket::wait_write, [self = Pointer(this)](boost::system::error_code error) {
    if (self->state_ == State::kClosed) return;
    if (error) return self->Close();
    self->Guard([&] { self->OnWritable(); });
  });
}

void Connection::OnWritable() {
  if (!owed_.SendTo(socket_.native_handle())) return Close();
  if (!Charge()) return;
  if (!owed_.empty()) return WaitToWrite();
  writing_ = false;
  if (ending_) return End();
  if (state_ == State::kRunning || state_ == State::kUploading) {
    deadline_ = TimePoint::max();
    return;
  }
  if (state_ != State::kBody) SetDeadline(worker_.options().header_deadline);
  Process();
}

// The kernel takes bytes in bursts; only acknowledged bytes show how fast the client reads.
std::int64_t Connection::Delivered() {
  int in_kernel = 0;
  ioctl(socket_.native_handle(), SIOCOUTQ, &in_kernel);
  return static_cast<std::int64_t>(owed_.handed_over()) - in_kernel;
}

bool Connection::ReadsFastEnough(TimePoint now) {
  if (owed_.withdrawn()) {
    Drop(DropReason::kWithdrawn);
    return false;
  }
  const auto& options = worker_.options();
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - window_started_);
  if (options.least_read_bytes_per_second == 0 || elapsed < options.read_window) return true;
  const auto rate =
      options.least_read_bytes_per_second * (worker_.shared().owed.scarce() ? kScarceFactor : 1);
  const auto delivered = Delivered();
  if (delivered - window_delivered_ < static_cast<std::int64_t>(rate) * elapsed.count() / 1000) {
    Drop(DropReason::kTooSlow);
    return false;
  }
  window_started_ = now;
  window_delivered_ = delivered;
  return true;
}

void Connection::Drop(DropReason reason) {
  if (state_ == State::kClosed) return;
  worker_.shared().owed.CountDrop(reason, peer_.address, owed_.size());
  Close();
}

// Closes the sending side. If the client may still be sending, the connection reads on for a while: closing
// with unread bytes would reset it, and the client would lose the answer.
void Connection::End() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (!unread_) return Close();
  state_ = State::kLingering;
  SetDeadline(worker_.options().linger);
  Read();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  boost::system::error_code ignored;
  socket_.close(ignored);
  slot_ = ConnectionSlot();
  forwarded_ = KeyedCount();
  owed_.Clear();  // the object may outlive its socket while a handler runs
  charge_.Clear();
  unlink();
}

void Connection::Abort() { Close(); }

// Closing a connection with a request on its way would reset it. So a request that the kernel has received is
// served, and a client that has just connected gets a moment to send its first one.
void Connection::Drain() {
  if (state_ != State::kIdle || buffer_.size() > 0) return;
  int received = 0;
  ioctl(socket_.native_handle(), FIONREAD, &received);
  if (received > 0) return;
  if (requested_) return Close();
  SetDeadline(worker_.options().first_request_wait);
}

void Connection::Sweep(TimePoint now) {
  Guard([&] { EnforceDeadlines(now); });
}

void Connection::EnforceDeadlines(TimePoint now) {
  if (writing_ && !ReadsFastEnough(now)) return;
  if (now < deadline_) return;
  if (!writing_ && (state_ == State::kBody || state_ == State::kUploading)) {
    const auto earned =
        std::chrono::milliseconds(received_ * 1000 / worker_.options().least_body_bytes_per_second);
    deadline_ = body_started_ + worker_.options().body_grace + earned;
    if (now < deadline_) return;
  }
  if (state_ == State::kUploading && !writing_) {
    socket_.cancel();  // BodyReader::Next() then refuses
    return;
  }
  const bool slow_request = state_ == State::kHead || state_ == State::kBody;
  if (writing_) return Drop(DropReason::kStalled);
  if (!slow_request || buffer_.size() == 0) return Close();
  Fail(ServerProblem::kRequestTimeout);
  ending_ = true;
  Flush();
  if (!writing_ && state_ != State::kClosed) End();
}

}  // namespace maejin::http
