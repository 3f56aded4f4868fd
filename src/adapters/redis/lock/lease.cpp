#include "adapters/redis/lock/lease.h"

#include "embedded/redis_scripts.h"

namespace maejin::redis {
namespace {

const Script& ReleaseScript() {
  static const Script kScript{std::string(scripts::lease_release)};
  return kScript;
}

}  // namespace

Task<Outcome<bool>> Lease::Take(Millis ttl) {
  auto taken =
      co_await client_.Call(Command("SET").Key(key_).Word(token_).Word("NX").Word("PX").Word(ttl.count()));
  if (!taken) co_return Refusal::kUnavailable;
  co_return !taken->is_nil();
}

Task<bool> Lease::Release() {
  ScriptArguments arguments;
  arguments.Key(key_).Arg(token_);
  const auto released = co_await client_.Eval(ReleaseScript(), std::move(arguments));
  co_return released && released->AsInteger() == 1;
}

}  // namespace maejin::redis
