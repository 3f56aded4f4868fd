#include "adapters/redis/client/subscriber.h"
#include "base/await.h"

#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

namespace maejin::redis {

namespace asio = boost::asio;

namespace {
// A connection without any reply for a whole interval is closed.
constexpr Millis kPingInterval{1000};

struct Push {
  const std::string& kind;
  const std::string& channel;
  const std::string& message;
};
// The result refers to `reply`.
Push DecodePush(const Reply& reply) { return {reply.At(0).text, reply.At(1).text, reply.At(2).text}; }
}  // namespace

Subscriber::Subscriber(asio::io_context& context, Open open, std::uint64_t seed)
    : context_(context),
      open_(std::move(open)),
      policy_(ReconnectPolicy::Settings{}, seed),
      pause_(context.get_executor()) {}

void Subscriber::Add(Id id, const std::string& channel, Listener listener) {
  entries_[id] = {channel, std::move(listener)};
  channels_.emplace(channel, id);
  if (!std::exchange(started_, true)) {
    asio::co_spawn(context_.get_executor(), Run(shared_from_this()), asio::detached);
    return;
  }
  // SUBSCRIBE is sent even for a channel that is subscribed already: the listener waits for the confirmation.
  if (stream_) Send(Command{"SUBSCRIBE", channel});
}

void Subscriber::Remove(Id id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  const auto channel = found->second.channel;
  entries_.erase(found);
  const auto [first, last] = channels_.equal_range(channel);
  for (auto it = first; it != last; ++it) {
    if (it->second == id) {
      channels_.erase(it);
      break;
    }
  }
  if (stream_ && !channels_.contains(channel)) Send(Command{"UNSUBSCRIBE", channel});
}

void Subscriber::Stop() {
  stopped_ = true;
  if (stream_) stream_->Close();
  pause_.cancel();
}

void Subscriber::Send(const Command& command) {
  command.AppendTo(output_);
  if (!stream_ || std::exchange(writing_, true)) return;
  asio::co_spawn(context_.get_executor(), WriteOut(shared_from_this(), stream_), asio::detached);
}

Task<void> Subscriber::WriteOut(std::shared_ptr<Subscriber> self, std::shared_ptr<Stream> stream) {
  while (self->stream_ == stream && !self->output_.empty()) {
    auto written = co_await stream->Write(std::exchange(self->output_, std::string()));
    if (!written) {
      stream->Close();
      break;
    }
  }
  if (self->stream_ == stream) self->writing_ = false;
}

Task<void> Subscriber::Run(std::shared_ptr<Subscriber> self) {
  while (!self->stopped_) {
    auto opened = co_await self->open_();
    if (self->stopped_) break;
    if (opened) {
      self->policy_.Connected();
      self->stream_ = opened->stream;
      self->writing_ = false;
      self->output_.clear();
      Command subscribe{"SUBSCRIBE"};
      for (auto it = self->channels_.begin(); it != self->channels_.end();
           it = self->channels_.upper_bound(it->first)) {
        subscribe.Word(it->first);
      }
      if (!self->channels_.empty()) self->Send(subscribe);
      asio::co_spawn(self->context_.get_executor(), KeepAlive(self, opened->stream), asio::detached);
      co_await self->Listen(opened->stream);
      self->stream_ = nullptr;
      opened->stream->Close();
    }
    if (self->stopped_) break;
    self->pause_.expires_after(self->policy_.Failed());
    std::ignore = co_await self->pause_.async_wait(kAwait);
  }
}

Task<void> Subscriber::KeepAlive(std::shared_ptr<Subscriber> self, std::shared_ptr<Stream> stream) {
  self->received_ = true;
  while (self->stream_ == stream && !self->stopped_) {
    if (!std::exchange(self->received_, false)) {
      stream->Close();
      break;
    }
    self->Send(Command{"PING"});
    self->pause_.expires_after(kPingInterval);
    std::ignore = co_await self->pause_.async_wait(kAwait);
  }
}

Task<std::string> Subscriber::Listen(std::shared_ptr<Stream> stream) {
  ReplyReader reader;
  for (;;) {
    auto read = co_await stream->Read();
    if (!read) co_return read.error();
    received_ = true;
    reader.Feed(*read);
    while (auto reply = reader.Next()) Dispatch(*reply);
    if (!reader.error().empty()) co_return reader.error();
  }
}

void Subscriber::Dispatch(const Reply& reply) {
  const auto push = DecodePush(reply);
  if (push.kind == "message") Notify(push.channel, &push.message);
  if (push.kind == "subscribe") Notify(push.channel, nullptr);
}

void Subscriber::Notify(const std::string& channel, const std::string* message) {
  // The listeners are copied, because one of them may call Add() or Remove().
  std::vector<Listener> listeners;
  const auto [first, last] = channels_.equal_range(channel);
  for (auto it = first; it != last; ++it) listeners.push_back(entries_[it->second].listener);
  for (const auto& listener : listeners) listener(message);
}

}  // namespace maejin::redis
