// Parses host:port and http:// URLs of the command line and the settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maejin::config {

struct Address {
  std::string host;  // without the brackets of IPv6
  std::uint16_t port = 0;

  // True for an IP address that only this machine can reach.
  bool IsLoopback() const;
  // "127.0.0.1:8080", "[::1]:8080".
  std::string ToString() const;

  friend bool operator==(const Address&, const Address&) = default;
};

// The host must be a literal IP address, or "localhost" (which means 127.0.0.1).
std::optional<Address> ParseAddress(std::string_view text);

struct HttpUrl {
  Address address;
  std::string path = "/";
  bool tls = false;
};

// "http://127.0.0.1:9090/path".
std::optional<HttpUrl> ParseHttpUrl(std::string_view text);
// The same, or "https://pay.example/refunds". An https host may be a name, and its default port is 443.
std::optional<HttpUrl> ParseHttpOrHttpsUrl(std::string_view text);
// The address in the URL of a server: "http://127.0.0.1:8080", without a path.
std::optional<Address> ParseServerUrl(std::string_view text);

}  // namespace maejin::config
