#include "adapters/redis/client/client.h"

#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/random.h"
#include "base/timer.h"

namespace maejin::redis {

namespace asio = boost::asio;

namespace {

constexpr asio::use_awaitable_t<Executor> kAwaitThrowing{};
constexpr Millis kTimeInterval{2000};
constexpr Millis kTimeRetry{100};
// While the nodes slew a jump of Redis's clock, this key has their shift from it in milliseconds. It expires
// when no node writes it.
constexpr char kClockShift[] = "maejin:clock-shift";
constexpr Millis kShiftLifetime{10'000};

std::uint64_t Seed() {
  SystemRandom random;
  return random.Next64();
}

// A cluster forwards pub/sub messages to all its servers. Otherwise the client subscribes at the primary,
// where all messages are published.
Subscriber::Open OpenForMessages(asio::io_context& context, const Address& address) {
  if (address.topology == Topology::kCluster)
    return [&context, address] { return OpenAny(context, address); };
  const auto walk = std::make_shared<SentinelWalk>(address.endpoints, address.master_name);
  return [&context, address, walk] { return OpenPrimary(context, address, walk); };
}

// Keeps the link of a context until the context ends, even if the client ends first.
class LinkHolder final : public asio::execution_context::service {
 public:
  static asio::execution_context::id id;
  explicit LinkHolder(asio::execution_context& context) : service(context) {}
  void Hold(std::shared_ptr<Link> link) { link_ = std::move(link); }

 private:
  void shutdown() override { link_.reset(); }

  std::shared_ptr<Link> link_;
};
asio::execution_context::id LinkHolder::id;

// Asio needs a default-constructible result to hand a value from one thread to another.
using OptionalResult = std::optional<CallResult>;
using ManyReplies = Result<std::vector<Reply>, RedisError>;

Task<OptionalResult> CallOn(std::shared_ptr<Link> link, Command command) {
  auto result = co_await link->Call(std::move(command));
  co_return result;
}

Task<OptionalResult> EvalOn(std::shared_ptr<Link> link, const Script* script, ScriptArguments arguments) {
  auto result = co_await link->Eval(script, std::move(arguments));
  co_return result;
}

Task<void> SendOn(std::shared_ptr<Link> link, Command command) {
  std::ignore = co_await link->Call(std::move(command));
}

Task<void> SendEvalOn(std::shared_ptr<Link> link, const Script* script, ScriptArguments arguments) {
  std::ignore = co_await link->Eval(script, std::move(arguments));
}

// TIME: seconds and microseconds.
Time DecodeTime(const Reply& reply) {
  return TimeFromMillis(reply.At(0).AsInteger() * 1000 + reply.At(1).AsInteger() / 1000);
}

// TIME and the nodes' shift in one reply. So a node that starts has the nodes' time before any other reply.
Command TimeWithShift() {
  Command question{"EVAL", "return {redis.call('TIME'), redis.call('GET', KEYS[1])}", "1"};
  question.Key(kClockShift);
  return question;
}

// Takes the reply to TIME or to TimeWithShift().
void MeasureReply(ClockOffset& clock, std::chrono::nanoseconds sent, const CallResult& reply) {
  if (!reply || !reply->is_array()) return;
  if (reply->At(0).is_array()) {
    clock.Measure(sent, DecodeTime(reply->At(0)), Millis{reply->At(1).AsInteger()});
  } else {
    clock.Measure(sent, DecodeTime(*reply));
  }
}

// Tells nodes that start how far the running nodes are from Redis's clock.
Task<void> WriteShift(Millis shift, std::shared_ptr<Link> link) {
  Command set;
  set.Word("SET").Key(kClockShift).Word(shift.count()).Word("PX").Word(kShiftLifetime.count());
  std::ignore = co_await link->Call(std::move(set));
}

Task<std::optional<ManyReplies>> AskPrimaries(std::shared_ptr<Link> link, Address address, Command command) {
  // The first call reads the cluster's hash slot map.
  Command ping{"PING"};
  auto pong = co_await link->Call(std::move(ping));
  if (!pong) co_return pong.error();
  std::vector<Reply> replies;
  for (const auto& endpoint : link->Primaries()) {
    auto answer = co_await AskOnce(link->context(), address, endpoint, command);
    if (!answer) co_return answer.error();
    if (answer->is_error()) co_return RedisError::Refused(answer->text);
    replies.push_back(std::move(*answer));
  }
  co_return replies;
}

}  // namespace

Client::Client(Address address) : address_(std::move(address)), work_(context_.get_executor()) {
  own_ = std::make_shared<Link>(context_, address_, Seed());
  subscriber_ = std::make_shared<Subscriber>(context_, OpenForMessages(context_, address_), Seed());
  asio::co_spawn(context_.get_executor(), MeasureTime(this, own_), asio::detached);
  if (address_.topology == Topology::kSentinel) FollowSentinels();
  thread_ = std::thread([this] { context_.run(); });
}

Client::~Client() {
  stopping_ = true;
  asio::post(context_, [this] {
    own_->Stop();
    subscriber_->Stop();
    if (sentinels_) sentinels_->Stop();
  });
  work_.reset();
  thread_.join();
}

void Client::Attach(asio::io_context& context) {
  auto link = std::make_shared<Link>(context, address_, Seed());
  links_[&context] = link;
  asio::use_service<LinkHolder>(context).Hold(std::move(link));
}

void Client::Detach() {
  const std::lock_guard lock(detach_mutex_);
  detached_ = true;
}

// A failover ends with the message +switch-master. The client then looks for the new primary before a command
// fails.
void Client::FollowSentinels() {
  sentinels_ = std::make_shared<Subscriber>(
      context_, [&context = context_, address = ForSentinels(address_)] { return OpenAny(context, address); },
      Seed());
  const SentinelWalk walk(address_.endpoints, address_.master_name);
  sentinels_->Add(0, "+switch-master", [this, walk](const std::string* message) {
    if (message == nullptr || !walk.IsOurSwitch(*message)) return;
    LogWarning("redis: failover: {}", *message);
    FindPrimaryAgain();
  });
}

void Client::FindPrimaryAgain() {
  asio::post(context_, [link = own_] { link->Reset("the primary has changed"); });
  const std::lock_guard lock(detach_mutex_);
  if (detached_) return;
  for (const auto& [context, weak] : links_) {
    asio::post(*context, [changed = weak] {
      if (const auto link = changed.lock()) link->Reset("the primary has changed");
    });
  }
}

// The message +switch-master may be lost, so the sentinels are also polled. A majority decides, because one
// sentinel may be partitioned off.
Task<void> Client::CheckPrimary(Client* client, std::shared_ptr<Link> link) {
  const auto& address = client->address_;
  const SentinelWalk walk(address.endpoints, address.master_name);
  std::size_t name_another = 0;
  for (const auto& sentinel : address.endpoints) {
    if (client->stopping_ || !link->connected()) co_return;
    auto answer = co_await AskOnce(client->context_, ForSentinels(address), sentinel, walk.Question());
    const auto primary = answer ? SentinelWalk::DecodePrimary(*answer) : std::nullopt;
    if (primary && *primary != link->Primaries().front()) ++name_another;
  }
  if (link->connected() && name_another > address.endpoints.size() / 2) client->FindPrimaryAgain();
}

std::shared_ptr<Link> Client::LinkOf(asio::io_context& context) {
  const auto found = links_.find(&context);
  return found == links_.end() ? nullptr : found->second.lock();
}

Task<CallResult> Client::Call(Command command) {
  const auto executor = co_await asio::this_coro::executor;
  const auto link = LinkOf(executor.context());
  if (link || &executor.context() == &context_) {
    auto direct = co_await (link ? link : own_)->Call(std::move(command));
    co_return direct;
  }
  auto result =
      co_await asio::co_spawn(context_.get_executor(), CallOn(own_, std::move(command)), kAwaitThrowing);
  co_return std::move(*result);
}

Task<CallResult> Client::Eval(const Script& script, ScriptArguments arguments) {
  const auto executor = co_await asio::this_coro::executor;
  const auto link = LinkOf(executor.context());
  if (link || &executor.context() == &context_) {
    auto direct = co_await (link ? link : own_)->Eval(&script, std::move(arguments));
    co_return direct;
  }
  auto result = co_await asio::co_spawn(context_.get_executor(), EvalOn(own_, &script, std::move(arguments)),
                                        kAwaitThrowing);
  co_return std::move(*result);
}

Task<Result<std::vector<Reply>, RedisError>> Client::CallEveryPrimary(Command command) {
  auto replies = co_await asio::co_spawn(context_.get_executor(),
                                         AskPrimaries(own_, address_, std::move(command)), kAwaitThrowing);
  co_return std::move(*replies);
}

// SETRANGE with an empty text changes nothing and creates no key, but Redis refuses it like any other write.
Task<void> Client::CheckWrites(Client* client, std::shared_ptr<Link> link) {
  Command nothing;
  nothing.Word("SETRANGE").Key("maejin:write-check").Word("0").Word("");
  auto reply = co_await link->Call(std::move(nothing));
  const auto refusal = reply ? (reply->is_error() ? reply->text : std::string()) : reply.error().text;
  const bool writable =
      !refusal.starts_with("OOM") && !refusal.starts_with("MISCONF") && !refusal.starts_with("READONLY");
  if (client->writable_.exchange(writable) == writable) co_return;
  if (writable) {
    LogInfo("redis: accepts writes again");
  } else {
    LogWarning("redis: refuses writes: {}", refusal);
  }
}

Task<void> Client::MeasureTime(Client* client, std::shared_ptr<Link> link) {
  auto& clock = client->clock_;
  SteadyTimer timer(client->context_.get_executor());
  const auto wait = asio::as_tuple(kAwaitThrowing);
  // The pauses are short, so that ~Client() need not wait for a long one.
  Millis until_next{0};
  bool with_shift = true;
  while (!client->stopping_) {
    if (until_next <= Millis{0}) {
      if (!clock.measured()) {
        // The first measurement is taken as it is, so it must not include the time to connect.
        Command ping{"PING"};
        ping.AtServerOf(kClockShift);
        std::ignore = co_await link->Call(std::move(ping));
      }
      const auto sent = std::chrono::steady_clock::now().time_since_epoch();
      // In a cluster, all nodes ask the same server: clocks of servers may differ.
      Command question{"TIME"};
      question.AtServerOf(kClockShift);
      if (with_shift) question = TimeWithShift();
      auto reply = co_await link->Call(std::move(question));
      client->connected_ = reply.ok();
      MeasureReply(clock, sent, reply);
      // A Redis that refuses the script still tells its time.
      if (reply || reply.error().kind == RedisError::Kind::kRefused) with_shift = false;
      until_next = reply ? kTimeInterval : kTimeRetry;
      if (reply) co_await CheckWrites(client, link);
      if (const auto shift = clock.Shift(); reply && shift) co_await WriteShift(*shift, link);
      if (client->sentinels_) co_await CheckPrimary(client, link);
    }
    timer.expires_after(Millis{50});
    std::ignore = co_await timer.async_wait(wait);
    clock.Tick();
    until_next -= Millis{50};
  }
}

// The link of the calling thread if it has one: waking another thread costs more than the command.
std::pair<Executor, std::shared_ptr<Link>> Client::LinkHere() {
  for (const auto& [context, link] : links_) {
    if (!context->get_executor().running_in_this_thread()) continue;
    if (auto here = link.lock()) return {context->get_executor(), std::move(here)};
  }
  return {context_.get_executor(), own_};
}

void Client::Send(Command command) {
  auto [executor, link] = LinkHere();
  asio::co_spawn(executor, SendOn(std::move(link), std::move(command)), asio::detached);
}

void Client::SendEval(const Script& script, ScriptArguments arguments) {
  auto [executor, link] = LinkHere();
  asio::co_spawn(executor, SendEvalOn(std::move(link), &script, std::move(arguments)), asio::detached);
}

void Client::Spawn(Task<void> task) {
  asio::co_spawn(context_.get_executor(), std::move(task), asio::detached);
}

Client::Subscription Client::Subscribe(std::string channel, Subscriber::Listener listener) {
  const auto id = next_subscription_++;
  asio::post(context_, [subscriber = subscriber_, id, channel = std::move(channel),
                        listener = std::move(listener)]() mutable {
    subscriber->Add(id, channel, std::move(listener));
  });
  return {subscriber_, &context_, id};
}

Client::Subscription::Subscription(Subscription&& other) noexcept
    : subscriber_(std::move(other.subscriber_)), context_(other.context_), id_(other.id_) {}

Client::Subscription& Client::Subscription::operator=(Subscription&& other) noexcept {
  std::swap(subscriber_, other.subscriber_);
  std::swap(context_, other.context_);
  std::swap(id_, other.id_);
  return *this;
}

Client::Subscription::~Subscription() {
  if (!subscriber_) return;
  asio::post(*context_, [subscriber = subscriber_, id = id_] { subscriber->Remove(id); });
}

}  // namespace maejin::redis
