// The parts of an http or https URL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maejin {

inline constexpr std::size_t kMaxUrl = 4096;

struct UrlParts {
  std::string scheme;  // "http" or "https"
  std::string host;    // in lower case; an IPv6 address with its brackets
  std::uint16_t port = 0;
  std::string path;      // as sent; at least "/"
  std::string query;     // as sent, with its '?'
  std::string fragment;  // as sent, with its '#'

  // The host without the brackets of an IPv6 address.
  std::string BareHost() const;
  // host[:port], without a default port.
  std::string Authority() const;
  // scheme://host[:port], without a default port.
  std::string Origin() const;
};

// Absent: not an absolute http or https URL. Also refused are: user information, backslashes, control
// characters, bytes outside ASCII (an IDN is written in punycode), and a port that is empty or 0.
std::optional<UrlParts> SplitUrl(std::string_view text);

// The URL of a request that the server sends: also without a fragment, and at most 2000 bytes long.
std::optional<UrlParts> SplitRequestUrl(std::string_view text);

// Characters that a URL may have (RFC 3986), without the backslash that browsers read as a slash.
bool IsUrlCharacter(char c);

// Appends `text` to `out`, with each %XX decoded and, if `plus_is_space`, each '+' as a space. False: a '%'
// without two hexadecimal digits, or %00.
bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out);
// The same without spaces for '+'. Absent: the text cannot be decoded.
std::optional<std::string> PercentDecode(std::string_view text);

}  // namespace maejin
