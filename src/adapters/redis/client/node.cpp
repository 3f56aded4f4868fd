#include "adapters/redis/client/node.h"

#include <tuple>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/await.h"
#include "base/log.h"

namespace maejin::redis {

namespace asio = boost::asio;

namespace {
// How often deadlines are checked.
constexpr Millis kDeadlineInterval{25};
}  // namespace

template <class Handler>
struct Node::PendingCall final : Pipeline::Call {
  explicit PendingCall(Handler&& taken) : handler(std::move(taken)) {}
  // The pipeline and the awaiting coroutine share a thread, so the coroutine resumes here.
  void Complete(CallResult result) override { std::move(handler)(std::move(result)); }
  Handler handler;
};

Node::Node(asio::io_context& context, Open open, std::uint64_t seed)
    : context_(context),
      open_(std::move(open)),
      policy_(ReconnectPolicy::Settings{}, seed),
      pause_(context.get_executor()),
      watch_(context.get_executor()) {}

void Node::Start() {
  asio::co_spawn(context_.get_executor(), Run(shared_from_this()), asio::detached);
  asio::co_spawn(context_.get_executor(), Watch(shared_from_this()), asio::detached);
}

void Node::Stop() {
  stopped_ = true;
  if (stream_) stream_->Close();
  pause_.cancel();
  watch_.cancel();
  pipeline_.RefuseQueued("the client is stopping");
}

void Node::Reset(const std::string& why) {
  if (stream_) {
    error_ = why;
    stream_->Close();
  }
  reset_ = true;
  pause_.cancel();
}

Task<CallResult> Node::Call(Command command, Pipeline::Instant deadline, bool asking) {
  if (stopped_ || (!stream_ && policy_.open())) co_return RedisError::Unavailable(error_);
  const asio::use_awaitable_t<Executor> token;
  auto initiate = [this, deadline, asking](auto handler, Command taken) {
    auto call = std::make_unique<PendingCall<decltype(handler)>>(std::move(handler));
    call->command = std::move(taken);
    call->deadline = deadline;
    call->asking = asking;
    Submit(std::move(call));
  };
  auto result = co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void(CallResult)>(
      std::move(initiate), token, std::move(command));
  co_return result;
}

void Node::Submit(std::unique_ptr<Pipeline::Call> call) {
  pipeline_.Submit(std::move(call));
  Flush();
}

// The writer runs after the handlers that are ready now, so that concurrent commands share one write.
void Node::Flush() {
  if (!stream_ || writing_ || !pipeline_.has_output()) return;
  writing_ = true;
  asio::co_spawn(context_.get_executor(), WriteOut(shared_from_this(), stream_), asio::detached);
}

Task<void> Node::WriteOut(std::shared_ptr<Node> self, std::shared_ptr<Stream> stream) {
  while (self->stream_ == stream && self->pipeline_.has_output()) {
    std::string bytes;
    self->pipeline_.TakeOutput(bytes);
    auto written = co_await stream->Write(std::move(bytes));
    if (!written) {
      stream->Close();
      break;
    }
  }
  self->writing_ = false;
  // A new connection may have been opened while the last write of the old one failed.
  self->Flush();
}

Task<std::string> Node::ReadUntilBroken(std::shared_ptr<Stream> stream) {
  for (;;) {
    auto read = co_await stream->Read();
    if (!read) co_return read.error();
    if (!pipeline_.Feed(*read)) co_return "the peer does not speak RESP";
  }
}

Task<void> Node::Run(std::shared_ptr<Node> self) {
  while (!self->stopped_) {
    self->reset_ = false;
    auto opened = co_await self->open_();
    if (self->stopped_) break;
    if (opened && self->reset_) {
      opened->stream->Close();
      continue;
    }
    if (opened) {
      self->pipeline_.set_server(opened->server);
      self->policy_.Connected();
      self->endpoint_ = opened->endpoint;
      self->stream_ = opened->stream;
      self->error_.clear();
      self->Flush();
      const auto why = co_await self->ReadUntilBroken(opened->stream);
      self->stream_ = nullptr;
      opened->stream->Close();
      if (self->error_.empty()) self->error_ = self->endpoint_.ToString() + ": " + why;
    } else {
      self->error_ = opened.error();
    }
    if (self->stopped_) break;
    const auto pause = self->policy_.Failed();
    self->pipeline_.Disconnected(self->error_);
    if (self->policy_.open()) self->pipeline_.RefuseQueued(self->error_);
    self->pause_.expires_after(pause);
    std::ignore = co_await self->pause_.async_wait(kAwait);
  }
  self->pipeline_.Disconnected("the client is stopping");
  self->pipeline_.RefuseQueued("the client is stopping");
}

Task<void> Node::Watch(std::shared_ptr<Node> self) {
  while (!self->stopped_) {
    self->watch_.expires_after(kDeadlineInterval);
    std::ignore = co_await self->watch_.async_wait(kAwait);
    if (self->pipeline_.Expire(std::chrono::steady_clock::now())) {
      self->Reset(self->endpoint_.ToString() + ": no answer in time");
    }
  }
}

}  // namespace maejin::redis
