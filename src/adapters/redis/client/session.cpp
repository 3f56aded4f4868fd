#include "adapters/redis/client/session.h"

#include <boost/asio/steady_timer.hpp>

#include "adapters/redis/client/handshake.h"
#include "adapters/redis/client/reply_reader.h"
#include "base/timer.h"

namespace maejin::redis {

namespace asio = boost::asio;

struct StreamTimeout::Timer {
  Timer(asio::io_context& context, Millis timeout) : timer(context.get_executor(), timeout) {}
  SteadyTimer timer;
  bool over = false;
};

StreamTimeout::StreamTimeout(asio::io_context& context, std::shared_ptr<Stream> stream, Millis timeout)
    : timer_(std::make_shared<Timer>(context, timeout)) {
  timer_->timer.async_wait([timer = timer_, stream](boost::system::error_code) {
    if (!timer->over) stream->Close();
  });
}

StreamTimeout::~StreamTimeout() {
  timer_->over = true;
  timer_->timer.cancel();
}

namespace {

// Sends all commands in one write and passes the replies to `on_reply` until it returns true.
template <class OnReply>
Task<Result<Done, std::string>> Exchange(std::shared_ptr<Stream> stream, std::string bytes,
                                         OnReply on_reply) {
  auto written = co_await stream->Write(std::move(bytes));
  if (!written) co_return written;
  ReplyReader reader;
  for (;;) {
    auto read = co_await stream->Read();
    if (!read) co_return read.error();
    reader.Feed(*read);
    while (auto reply = reader.Next()) {
      if (on_reply(*reply)) co_return Done{};
    }
    if (!reader.error().empty()) co_return "the peer does not speak RESP: " + reader.error();
  }
}

}  // namespace

Address ForSentinels(Address address) {
  address.database = 0;
  address.user.clear();
  address.password.clear();
  return address;
}

Task<OpenResult> OpenNode(asio::io_context& context, Address address, Endpoint endpoint,
                          bool must_be_primary) {
  auto stream = Stream::Make(context, address);
  if (!stream) co_return stream.error();
  const StreamTimeout timeout(context, *stream, address.timeout);
  auto connected = co_await (*stream)->Connect(endpoint);
  if (!connected) co_return connected.error();
  Handshake handshake(address, must_be_primary);
  std::string bytes;
  for (const auto& command : handshake.commands()) command.AppendTo(bytes);
  auto next = Handshake::Next::kMore;
  const auto on_reply = [&](const Reply& reply) {
    next = handshake.OnReply(reply);
    return next != Handshake::Next::kMore;
  };
  auto exchanged = co_await Exchange(*stream, std::move(bytes), on_reply);
  if (!exchanged) co_return endpoint.ToString() + ": " + exchanged.error();
  if (next == Handshake::Next::kFailed) co_return endpoint.ToString() + ": " + handshake.error();
  co_return Opened{*stream, endpoint, handshake.server()};
}

Task<OpenResult> OpenPrimary(asio::io_context& context, Address address, std::shared_ptr<SentinelWalk> walk) {
  if (address.topology == Topology::kStandalone) {
    const auto endpoint = address.endpoints.front();
    auto opened = co_await OpenNode(context, std::move(address), endpoint, false);
    co_return opened;
  }
  std::string why = "no sentinel answers";
  for (walk->Start(); auto sentinel = walk->Next();) {
    auto answer = co_await AskOnce(context, ForSentinels(address), *sentinel, walk->Question());
    if (!answer) {
      why = answer.error().text;
      walk->OnFailure();
      continue;
    }
    const auto primary = walk->OnReply(*answer);
    if (!primary) {
      why = sentinel->ToString() + " knows no such master";
      continue;
    }
    auto opened = co_await OpenNode(context, address, *primary, true);
    co_return opened;
  }
  co_return why;
}

Task<OpenResult> OpenAny(asio::io_context& context, Address address) {
  OpenResult opened = std::string("no address");
  for (const auto& endpoint : address.endpoints) {
    opened = co_await OpenNode(context, address, endpoint, false);
    if (opened) co_return opened;
  }
  co_return opened;
}

Task<CallResult> AskOnce(asio::io_context& context, Address address, Endpoint endpoint, Command question) {
  auto opened = co_await OpenNode(context, address, endpoint, false);
  if (!opened) co_return RedisError::Unavailable(opened.error());
  const StreamTimeout timeout(context, opened->stream, address.timeout);
  std::string bytes;
  question.AppendTo(bytes);
  Reply answer;
  const auto on_reply = [&](Reply& reply) {
    answer = std::move(reply);
    return true;
  };
  auto exchanged = co_await Exchange(opened->stream, std::move(bytes), on_reply);
  opened->stream->Close();
  if (!exchanged) co_return RedisError::Unknown(endpoint.ToString() + ": " + exchanged.error());
  co_return answer;
}

}  // namespace maejin::redis
