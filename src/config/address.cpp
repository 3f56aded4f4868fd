#include "config/address.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/asio/ip/address.hpp>

#include "base/numbers.h"
#include "base/url.h"

namespace maejin::config {

bool Address::IsLoopback() const {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

std::string Address::ToString() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::optional<Address> ParseAddress(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto port_text = text.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (host.find('\0') != std::string_view::npos) return std::nullopt;  // make_address() would ignore the rest

  const auto port = ParseInt<decltype(Address::port)>(port_text);
  if (!port) return std::nullopt;
  boost::system::error_code bad_host;
  const auto parsed = boost::asio::ip::make_address(std::string(host), bad_host);
  if (bad_host || parsed.is_v6() != bracketed) return std::nullopt;
  Address address;
  address.host = std::string(host);
  address.port = *port;
  return address;
}

std::optional<HttpUrl> ParseHttpUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) return {};
  text.remove_prefix(kScheme.size());
  const auto slash = std::min(text.find('/'), text.size());
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address) return {};
  HttpUrl url{*address};
  if (slash < text.size()) url.path = text.substr(slash);
  return url;
}

std::optional<HttpUrl> ParseHttpOrHttpsUrl(std::string_view text) {
  const auto parts = SplitRequestUrl(text);
  if (!parts || parts->scheme != "https") return ParseHttpUrl(text);
  return HttpUrl{{parts->BareHost(), parts->port}, parts->path + parts->query, true};
}

std::optional<Address> ParseServerUrl(std::string_view text) {
  const auto url = ParseHttpUrl(text);
  return url && url->path == "/" ? std::optional(url->address) : std::nullopt;
}

}  // namespace maejin::config
