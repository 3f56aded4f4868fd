#include "adapters/mysql/url.h"

#include <optional>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/url.h"

namespace maejin::mysql {
namespace {

using Problem = std::optional<std::string>;

constexpr std::string_view kScheme = "mysql://";

// Cuts `text` at the first `mark` and returns the text behind it.
std::string_view CutAt(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const auto rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

bool IsLoopback(const ServerOptions& server) {
  return !server.socket.empty() || server.host == "localhost" || server.host == "::1" ||
         server.host.starts_with("127.");
}

Problem ReadUser(std::string_view user, ServerOptions& server) {
  const auto password = CutAt(user, ':');
  auto name = PercentDecode(user);
  auto secret = PercentDecode(password);
  if (!name || !secret)
    return "mysql URL: a percent sign in user or password must be followed by two hex digits";
  server.user = std::move(*name);
  server.password = std::move(*secret);
  return std::nullopt;
}

Problem ReadHost(std::string_view host, ServerOptions& server) {
  if (host.empty()) return std::nullopt;
  std::string_view port;
  if (host.front() == '[') {
    const auto close = host.find(']');
    if (close == std::string_view::npos) return "mysql URL: an IPv6 address needs its closing bracket";
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
    if (!port.empty() && port.front() != ':') return "mysql URL: only a port may follow an IPv6 address";
    if (!port.empty()) port.remove_prefix(1);
  } else {
    port = CutAt(host, ':');
  }
  if (!host.empty()) server.host = host;
  if (port.empty()) return std::nullopt;
  const auto number = ParseInt<std::int64_t>(port, 1, 65535);
  if (!number) return fmt::format("mysql URL: '{}' is not a port", port);
  server.port = static_cast<std::uint16_t>(*number);
  return std::nullopt;
}

Problem ReadTls(std::string_view value, std::optional<Tls>& tls) {
  if (value == "off") tls = Tls::kOff;
  if (value == "required") tls = Tls::kRequired;
  if (value == "verify") tls = Tls::kVerify;
  if (!tls) return fmt::format("mysql URL: tls={} is none of off, required, verify", value);
  return std::nullopt;
}

Problem ReadParameter(std::string_view name, std::string_view value, DatabaseUrl& url,
                      std::optional<Tls>& tls) {
  const auto number = [&](std::int64_t least, std::int64_t most, auto store) -> Problem {
    const auto read = ParseInt<std::int64_t>(value, least, most);
    if (!read) return fmt::format("mysql URL: {} must be {}…{}", name, least, most);
    store(*read);
    return std::nullopt;
  };
  if (name == "tls") return ReadTls(value, tls);
  if (name == "connections") {
    return number(1, 1000, [&](std::int64_t n) { url.pool.connections = static_cast<std::size_t>(n); });
  }
  if (name == "queue") {
    return number(1, 1'000'000, [&](std::int64_t n) { url.pool.queue = static_cast<std::size_t>(n); });
  }
  if (name == "read-timeout-ms") {
    return number(100, 600'000, [&](std::int64_t n) { url.server.read_timeout = Millis{n}; });
  }
  std::string* text = name == "tls-ca"     ? &url.server.tls_ca
                      : name == "tls-cert" ? &url.server.tls_cert
                      : name == "tls-key"  ? &url.server.tls_key
                      : name == "socket"   ? &url.server.socket
                                           : nullptr;
  if (!text) return fmt::format("mysql URL: unknown parameter '{}'", name);
  *text = value;
  return std::nullopt;
}

Problem ReadParameters(std::string_view query, DatabaseUrl& url) {
  std::optional<Tls> tls;
  while (!query.empty()) {
    auto name = query;
    query = CutAt(name, '&');
    const auto value = PercentDecode(CutAt(name, '='));
    if (!value) return fmt::format("mysql URL: the value of {} is not percent-encoded", name);
    if (auto problem = ReadParameter(name, *value, url, tls)) return problem;
  }
  url.server.tls = tls ? *tls : IsLoopback(url.server) ? Tls::kOff : Tls::kVerify;
  return std::nullopt;
}

}  // namespace

Result<DatabaseUrl, std::string> ParseUrl(std::string_view text) {
  if (!text.starts_with(kScheme)) return std::string("mysql URL: must start with mysql://");
  text.remove_prefix(kScheme.size());
  DatabaseUrl url;
  const auto query = CutAt(text, '?');
  const auto database = CutAt(text, '/');
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    if (auto problem = ReadUser(text.substr(0, at), url.server)) return std::move(*problem);
    text.remove_prefix(at + 1);
  }
  if (auto problem = ReadHost(text, url.server)) return std::move(*problem);
  if (auto problem = ReadParameters(query, url)) return std::move(*problem);
  if (database.empty()) return std::string("mysql URL: names no database (mysql://user@host:port/database)");
  url.server.database = database;
  return url;
}

std::string Redacted(const ServerOptions& server) {
  const auto address = server.socket.empty() ? fmt::format("{}:{}", server.host, server.port) : server.socket;
  return fmt::format("mysql://{}@{}/{}", server.user, address, server.database);
}

}  // namespace maejin::mysql
