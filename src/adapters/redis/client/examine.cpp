#include "adapters/redis/client/examine.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace maejin::redis {
namespace {

constexpr std::pair<int, int> kOldest{6, 2};  // the first with ZMSCORE
constexpr Millis kMaxClockOffset{1000};
constexpr char kAbout[] = "redis";

Finding CheckVersion(const std::string& info) {
  const auto version = InfoField(info, "redis_version");
  std::pair<int, int> found{0, 0};
  const auto* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, found.first);
  if (error == std::errc() && dot != end) std::from_chars(dot + 1, end, found.second);
  const auto text = "version " + version + ", " + InfoField(info, "redis_mode");
  if (found >= kOldest) return {Health::kGood, kAbout, text};
  return {Health::kBad, kAbout, text + ": too old, 6.2 or newer is needed"};
}

Finding CheckEviction(const std::string& info) {
  const auto policy = InfoField(info, "maxmemory_policy");
  if (policy == "noeviction") return {Health::kGood, kAbout, "evicts nothing"};
  return {Health::kBad, kAbout,
          fmt::format("maxmemory-policy is {}: Redis may evict places of the waiting rooms; set noeviction",
                      policy)};
}

Finding CheckPersistence(const std::string& info) {
  const bool append_only = InfoField(info, "aof_enabled") == "1";
  if (append_only) return {Health::kGood, kAbout, "append-only file on"};
  return {Health::kWarning, kAbout,
          "append-only file off: after a restart the waiting rooms are restored from the fans' tokens, and "
          "admission "
          "pauses for some seconds"};
}

Finding CheckRole(const std::string& info) {
  const auto role = InfoField(info, "role");
  return {role == "master" ? Health::kGood : Health::kBad, kAbout, "role " + role};
}

Finding CheckClock(const Client& client) {
  const auto offset = client.clock_offset();
  const bool far = std::chrono::abs(offset) > kMaxClockOffset;
  return {far ? Health::kWarning : Health::kGood, kAbout,
          fmt::format("its clock is {} ms from ours", offset.count())};
}

// The endpoint in front of the cause is left out if it is the only one of the address.
std::string ConnectionFailure(const Address& address, const RedisError& error) {
  if (error.kind == RedisError::Kind::kRefused)
    return fmt::format("Redis at {}: {}", address.ToString(), error.text);
  std::string_view cause = error.text;
  const auto endpoint = address.endpoints.front().ToString() + ": ";
  if (address.endpoints.size() == 1 && cause.starts_with(endpoint)) cause.remove_prefix(endpoint.size());
  return fmt::format("cannot reach Redis at {}: {}", address.ToString(), cause);
}

}  // namespace

Task<std::vector<Finding>> Examine(Client& client) {
  std::vector<Finding> findings;
  auto infos = co_await client.CallEveryPrimary(Command("INFO"));
  if (!infos) {
    findings.push_back({Health::kBad, kAbout, ConnectionFailure(client.address(), infos.error())});
    co_return findings;
  }
  findings.push_back({Health::kGood, kAbout, client.address().ToString() + ": connected"});
  for (const auto& info : *infos) {
    for (const auto& check : {CheckVersion, CheckRole, CheckEviction, CheckPersistence}) {
      findings.push_back(check("\n" + info.text));
    }
  }
  static const Script kProbe(
      "redis.call('SET', KEYS[1], '1', 'PX', 1000) redis.call('DEL', KEYS[1]) return 1");
  ScriptArguments arguments;
  arguments.Key("maejin:doctor");
  auto probed = co_await client.Eval(kProbe, std::move(arguments));
  findings.push_back(probed ? Finding{Health::kGood, kAbout, "may run scripts"}
                            : Finding{Health::kBad, kAbout, "may not run scripts: " + probed.error().text});
  findings.push_back(CheckClock(client));
  co_return findings;
}

}  // namespace maejin::redis
