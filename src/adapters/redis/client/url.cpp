#include "adapters/redis/client/url.h"

#include <optional>

#include "base/numbers.h"
#include "base/take_until.h"
#include "base/url.h"

namespace maejin::redis {
namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;

bool ReadScheme(std::string_view scheme, Address& address) {
  if (!scheme.starts_with("redis")) return false;
  address.tls = scheme.starts_with("rediss");
  const auto kind = scheme.substr(address.tls ? 6 : 5);
  if (kind == "+sentinel") address.topology = Topology::kSentinel;
  if (kind == "+cluster") address.topology = Topology::kCluster;
  return kind.empty() || address.topology != Topology::kStandalone;
}

bool ReadUserInfo(std::string_view info, Address& address) {
  auto rest = info;
  const auto user = PercentDecode(TakeUntil(rest, ':'));
  const auto password = PercentDecode(rest);
  if (!user || !password) return false;
  address.user = *user;
  address.password = *password;
  return !password->empty();
}

bool ReadEndpoint(std::string_view text, std::uint16_t default_port, Address& address) {
  const auto bracket = text.find(']');
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const auto full = colon == std::string_view::npos ? std::string(text) + ":" + std::to_string(default_port)
                                                    : std::string(text);
  const auto endpoint = Endpoint::Parse(full);
  if (endpoint) address.endpoints.push_back(*endpoint);
  return endpoint.has_value();
}

bool ReadHosts(std::string_view hosts, Address& address) {
  const auto port = address.topology == Topology::kSentinel ? kSentinelPort : kRedisPort;
  while (!hosts.empty()) {
    if (!ReadEndpoint(TakeUntil(hosts, ','), port, address)) return false;
  }
  return address.topology == Topology::kStandalone ? address.endpoints.size() == 1
                                                   : !address.endpoints.empty();
}

bool ReadOption(std::string_view option, Address& address) {
  const auto name = TakeUntil(option, '=');
  if (name == "ca") {
    const auto file = PercentDecode(option);
    if (file) address.tls_ca_file = *file;
    return file && !file->empty();
  }
  if (name == "verify") {
    address.tls_verify = option != "none";
    return option == "none" || option == "full";
  }
  if (name == "timeout_ms") {
    const auto timeout = ParseInt<int>(option, 10, 60'000);
    if (timeout) address.timeout = Millis{*timeout};
    return timeout.has_value();
  }
  return false;
}

bool ReadDatabase(std::string_view path, Address& address) {
  if (path.empty()) return true;
  const auto database = ParseInt<int>(path, 0, 1'000'000);
  address.database = database.value_or(0);
  return database && (address.topology != Topology::kCluster || *database == 0);
}

}  // namespace

std::string Address::ToString() const {
  std::string text = tls ? "rediss" : "redis";
  if (topology == Topology::kSentinel) text += "+sentinel";
  if (topology == Topology::kCluster) text += "+cluster";
  text += "://";
  if (!password.empty()) text += user + ":***@";
  for (std::size_t i = 0; i < endpoints.size(); ++i) text += (i == 0 ? "" : ",") + endpoints[i].ToString();
  if (topology == Topology::kSentinel) text += "/" + master_name;
  if (topology != Topology::kCluster) text += "/" + std::to_string(database);
  return text;
}

Result<Address, std::string> ParseAddress(std::string_view url) {
  const auto scheme_end = url.find("://");
  Address address;
  if (scheme_end == std::string_view::npos || !ReadScheme(url.substr(0, scheme_end), address)) {
    return std::string(
        "redis: the address must begin with redis://, rediss://, redis+sentinel:// or redis+cluster://");
  }
  auto options = url.substr(scheme_end + 3);
  auto path = TakeUntil(options, '?');
  while (!options.empty()) {
    if (!ReadOption(TakeUntil(options, '&'), address)) {
      return std::string("redis: the known options are ca=FILE, verify=none|full and timeout_ms=10…60000");
    }
  }
  auto authority = TakeUntil(path, '/');
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) {
    if (!ReadUserInfo(authority.substr(0, at), address)) {
      return std::string("redis: write user and password as user:password@, percent-encoded");
    }
    authority = authority.substr(at + 1);
  }
  if (!ReadHosts(authority, address))
    return std::string("redis: the address needs at least one host:port; several are separated by commas");
  if (address.topology == Topology::kSentinel) {
    address.master_name = std::string(TakeUntil(path, '/'));
    if (address.master_name.empty()) {
      return std::string(
          "redis: a sentinel address must name its master: redis+sentinel://host:26379/mymaster");
    }
  }
  if (!ReadDatabase(path, address))
    return std::string("redis: the database must be a number (0 in a cluster)");
  return address;
}

}  // namespace maejin::redis
