#include "adapters/redis/lock/redisson_lock.h"

#include <boost/asio/this_coro.hpp>

#include "adapters/redis/client/wake_up.h"
#include "base/ids.h"
#include "embedded/redis_scripts.h"

namespace maejin::redis {
namespace {

const Script kAcquire{std::string(scripts::lock_acquire)};
const Script kRelease{std::string(scripts::lock_release)};

std::string Uuid() {
  SystemRandom random;
  const auto hex = Id128::Random(random).ToString();
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

// A key in the same hash slot as the lock.
std::string KeyBeside(std::string_view prefix, const std::string& name) {
  const bool tagged = name.find('{') != std::string::npos;
  return std::string(prefix) + ":" + (tagged ? name : "{" + name + "}");
}

}  // namespace

RedissonLock::RedissonLock(Client& client, Times times)
    : client_(client), times_(times), client_id_(Uuid()) {}

std::string RedissonLock::ChannelOf(const std::string& name) {
  return KeyBeside("redisson_lock__channel", name);
}

RedissonLock::Attempt RedissonLock::DecodeAttempt(const Reply& reply) {
  const auto number = reply.At(1).integer;
  if (reply.At(0).integer == 1) return {.acquired = true, .fence = static_cast<std::uint64_t>(number)};
  return {.acquired = false, .lease_left = Millis{number}};
}

Task<Result<RedissonLock::Attempt, RedissonLock::Failure>> RedissonLock::Try(std::string name,
                                                                             std::string holder) {
  ScriptArguments arguments;
  arguments.Key(name).Key(KeyBeside("fence", name)).Arg(times_.lease.count()).Arg(holder);
  auto reply = co_await client_.Eval(kAcquire, std::move(arguments));
  if (!reply) co_return Failure::kUnavailable;
  co_return DecodeAttempt(*reply);
}

Task<Result<RedissonLock::Lease, RedissonLock::Failure>> RedissonLock::Acquire(std::string name) {
  const auto holder = client_id_ + ":" + std::to_string(next_holder_++);
  auto first = co_await Try(name, holder);
  if (!first) co_return first.error();
  if (first->acquired) co_return Lease{name, holder, first->fence};
  auto waited = co_await Await(name, holder);
  co_return waited;
}

// Subscribes before the next attempt, so that a release between the subscription and the attempt is not
// missed.
Task<Result<RedissonLock::Lease, RedissonLock::Failure>> RedissonLock::Await(std::string name,
                                                                             std::string holder) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto wake = std::make_shared<WakeUp>(executor);
  const auto deadline = std::chrono::steady_clock::now() + times_.wait;
  const auto subscription =
      client_.Subscribe(ChannelOf(name), [wake](const std::string*) { wake->Signal(); });
  Result<Lease, Failure> outcome = Failure::kBusy;
  auto remaining = times_.wait;
  auto pause = times_.wait;  // the first signal is the confirmation of the subscription
  while (remaining > Millis{0}) {
    co_await wake->Wait(std::min(remaining, pause));
    auto tried = co_await Try(name, holder);
    if (!tried) {
      outcome = tried.error();
      break;
    }
    if (tried->acquired) {
      outcome = Lease{name, holder, tried->fence};
      break;
    }
    pause = std::max(tried->lease_left, Millis{1});
    remaining = std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now());
  }
  wake->Close();
  co_return outcome;
}

Task<bool> RedissonLock::Release(Lease lease) {
  ScriptArguments arguments;
  arguments.Key(lease.name).Key(ChannelOf(lease.name)).Arg(times_.lease.count()).Arg(lease.holder);
  auto reply = co_await client_.Eval(kRelease, std::move(arguments));
  co_return reply.ok() && !reply->is_nil();
}

}  // namespace maejin::redis
