// Long bodies: the handler reads them piece by piece, at its own pace.
#include "base/await.h"
#include "server/connection.h"
#include "server/request_checks.h"
#include "server/response_head.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

constexpr std::size_t kPiece = 16 * 1024;

}  // namespace

class Connection::Upload final : public BodyReader {
 public:
  explicit Upload(Connection& connection)
      : connection_(connection),
        chunked_(connection.exchange_->head.chunked()),
        left_(connection.exchange_->head.content_length()),
        done_(!connection.exchange_->head.has_body()) {}

  Task<Outcome<std::string_view>> Next() override;
  bool done() const { return done_; }
  // Discards the last piece from the buffer.
  void Finish() {
    connection_.buffer_.Consume(given_);
    given_ = 0;
  }

 private:
  // Decodes the bytes in the buffer. Absent: more must be read.
  std::optional<Outcome<std::string_view>> Take();

  Connection& connection_;
  const bool chunked_;
  std::uint64_t left_;
  std::size_t given_ = 0;  // bytes of the buffer that the handler is reading
  bool done_;
};

std::optional<Outcome<std::string_view>> Connection::Upload::Take() {
  auto& buffer = connection_.buffer_;
  buffer.Consume(given_);
  given_ = 0;
  if (done_) return std::string_view{};
  if (buffer.size() == 0) return {};
  if (!chunked_) {
    given_ = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer.size()));
    left_ -= given_;
    done_ = left_ == 0;
    return buffer.View().substr(0, given_);
  }
  const auto step = connection_.chunks_.Decode(buffer.data(), buffer.size(), buffer.data());
  if (step.state == ChunkDecoder::State::kMalformed)
    return Refused{Refusal::kInvalidJson, "broken chunk framing"};
  done_ = step.state == ChunkDecoder::State::kDone;
  given_ = step.consumed;
  if (step.produced == 0 && !done_) return {};
  return std::string_view(buffer.data(), step.produced);
}

Task<Outcome<std::string_view>> Connection::Upload::Next() {
  auto& socket = connection_.socket_;
  while (true) {
    const auto taken = Take();
    if (taken) co_return *taken;
    // Awaits the socket even if bytes have arrived, so that the thread also serves its other connections.
    if (!socket.HasUnread()) {
      const auto [error] = co_await socket.tcp().async_wait(socket.wait(), kAwait);
      if (error) co_return Refusal::kUnavailable;
    }
    connection_.buffer_.Reserve(kPiece);
    const auto got = socket.Receive(connection_.buffer_.tail(), connection_.buffer_.room());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0)
      co_return Refused{Refusal::kInvalidJson, "the connection closed before the body was complete"};
    connection_.buffer_.Commit(static_cast<std::size_t>(got));
    connection_.received_ += static_cast<std::size_t>(got);
  }
}

Connection::Next Connection::StartUpload(std::unique_ptr<Exchange> exchange) {
  if (!CountForwarded(*exchange)) {
    const auto refused = TooManyOfAddress(worker_.shared());
    if (exchange->head.has_body()) return RefuseUnread(std::move(exchange), refused);
    return Refuse(std::move(exchange), refused);
  }
  // Copy the head: the buffer is needed for the body.
  exchange->head_copy.assign(buffer_.View().substr(0, head_size_));
  exchange->head.Parse(exchange->head_copy, worker_.options().head);
  FillRequest(*exchange, {});
  // Sets the parameters again: they refer to the copy now.
  [[maybe_unused]] const auto again = worker_.shared().router.Match(exchange->request);
  const bool wants_continue = exchange->head.expects_continue() && buffer_.size() == head_size_;
  if (wants_continue) worker_.out() += kContinue;
  BeginBody(head_size_);
  buffer_.Consume(head_size_);
  head_size_ = body_size_ = 0;
  exchange_ = std::move(exchange);
  state_ = State::kUploading;
  Flush();
  return Spawn(ServeUpload(Pointer(this)));
}

Task<void> Connection::ServeUpload(Pointer self) {
  Exchange& exchange = *self->exchange_;
  Upload upload(*self);
  std::exception_ptr thrown;
  try {
    const auto outcome = co_await exchange.route->upload(exchange.request, upload, exchange.response);
    if (!outcome.ok()) {
      self->worker_.shared().problems.Write(outcome.error(), exchange.request, exchange.response);
    }
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) AnswerWithError(self->worker_.shared().problems, exchange, thrown);
  // The rest of an unread body cannot be told from the next request: close the connection.
  if (!upload.done()) {
    self->keep_alive_ = false;
    self->unread_ = true;
  }
  upload.Finish();
  self->OnServed();
}

}  // namespace maejin::http
