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

// A name that lies in the same slot as the lock's.
std::string Beside(std::string_view prefix, const std::string& name) {
  const bool tagged = name.find('{') != std::string::npos;
  return std::string(prefix) + ":" + (tagged ? name : "{" + name + "}");
}

}  // namespace

RedissonLock::RedissonLock(Client& client, Times times)
    : client_(client), times_(times), client_id_(Uuid()) {}

std::string RedissonLock::ChannelOf(const std::string& name) {
  return Beside("redisson_lock__channel", name);
}

Task<CallResult> RedissonLock::Try(std::string name, std::string holder) {
  ScriptArguments arguments;
  arguments.Key(name).Key(Beside("fence", name)).Arg(times_.lease.count()).Arg(holder);
  auto reply = co_await client_.Eval(kAcquire, std::move(arguments));
  co_return reply;
}

Task<Result<RedissonLock::Lease, RedissonLock::Failure>> RedissonLock::Acquire(std::string name) {
  const auto holder = client_id_ + ":" + std::to_string(next_holder_++);
  auto first = co_await Try(name, holder);
  if (!first) co_return Failure::kUnavailable;
  if (first->At(0).integer == 1) {
    co_return Lease{name, holder, static_cast<std::uint64_t>(first->At(1).integer)};
  }
  auto waited = co_await Await(name, holder);
  co_return waited;
}

// Listens first and tries again only then: a release between the two is not missed.
Task<Result<RedissonLock::Lease, RedissonLock::Failure>> RedissonLock::Await(std::string name,
                                                                             std::string holder) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto wake = std::make_shared<WakeUp>(executor);
  const auto deadline = std::chrono::steady_clock::now() + times_.wait;
  const auto subscription =
      client_.Subscribe(ChannelOf(name), [wake](const std::string*) { wake->Signal(); });
  Result<Lease, Failure> outcome = Failure::kBusy;
  auto remaining = times_.wait;
  auto pause = times_.wait;  // until the channel is ours
  while (remaining > Millis{0}) {
    co_await wake->Wait(std::min(remaining, pause));
    auto tried = co_await Try(name, holder);
    if (!tried) {
      outcome = Failure::kUnavailable;
      break;
    }
    const auto number = tried->At(1).integer;
    if (tried->At(0).integer == 1) {
      outcome = Lease{name, holder, static_cast<std::uint64_t>(number)};
      break;
    }
    pause = number > 0 ? Millis{number} : Millis{1};
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
