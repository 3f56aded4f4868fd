#include "domain/waiting_room/return_url.h"

#include <algorithm>

#include "base/numbers.h"

namespace maejin {
namespace {

constexpr std::string_view kUpperHex = "0123456789ABCDEF";

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), ToLower);
  return lowered;
}

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(char c) { return ToLower(c) >= 'a' && ToLower(c) <= 'z'; }

int ValueOfHex(char c) {
  if (IsDecimal(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Characters that a URL may have (RFC 3986), without the backslash that browsers read as a slash.
bool IsUrlCharacter(char c) {
  constexpr std::string_view kOthers = "-._~:/?#[]@!$&'()*+,;=%";
  return IsDecimal(c) || IsAsciiLetter(c) || kOthers.find(c) != std::string_view::npos;
}

// Absent: a '%' that is not %XX, or a decoded control character.
std::optional<std::string> DecodeOnce(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? ValueOfHex(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? ValueOfHex(text[i + 2]) : -1;
      if (high < 0 || low < 0) return {};
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return {};
    out += c;
  }
  return out;
}

bool IsDots(std::string_view segment) { return segment == "." || segment == ".."; }

// A decoded segment that a server may read as another path: it has a separator, or it is a dot segment when
// it is decoded once more.
bool IsUnsafe(std::string_view segment) {
  if (segment.empty() || IsDots(segment)) return true;
  if (segment.find_first_of("/\\") != std::string_view::npos) return true;
  const auto lowered = Lowered(segment);
  if (lowered.find("%2f") != std::string::npos || lowered.find("%5c") != std::string::npos) return true;
  const auto again = DecodeOnce(segment);
  return again && IsDots(*again);
}

std::optional<std::vector<std::string>> SegmentsOf(std::string_view path) {
  std::vector<std::string> segments;
  path.remove_prefix(1);
  while (!path.empty()) {
    const auto raw = path.substr(0, path.find('/'));
    auto decoded = DecodeOnce(raw);
    if (!decoded || IsUnsafe(*decoded)) return {};
    segments.push_back(std::move(*decoded));
    path.remove_prefix(std::min(path.size(), raw.size() + 1));
  }
  return segments;
}

bool IsHostName(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  const auto allowed = [](char c) {
    return IsDecimal(c) || IsAsciiLetter(c) || c == '-' || c == '.' || c == '_';
  };
  const bool has_empty_label =
      host.front() == '.' || host.back() == '.' || host.find("..") != std::string_view::npos;
  return std::ranges::all_of(host, allowed) && !has_empty_label;
}

bool IsAddressInBrackets(std::string_view host) {
  if (host.size() < 4 || host.front() != '[' || host.back() != ']') return false;
  const auto inner = host.substr(1, host.size() - 2);
  return std::ranges::all_of(inner, [](char c) { return ValueOfHex(c) >= 0 || c == ':' || c == '.'; });
}

// Reads "host" or "host:port" into `url`.
bool ReadAuthority(std::string_view text, WebUrl& url) {
  const auto bracket = text.rfind(']');
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const auto host = text.substr(0, colon);
  if (!IsHostName(host) && !IsAddressInBrackets(host)) return false;
  url.host = Lowered(host);
  url.port = url.scheme == "https" ? 443 : 80;
  if (colon == std::string_view::npos) return true;
  const auto digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 5 || !std::ranges::all_of(digits, IsDecimal)) return false;
  const auto port = ParseInt<std::uint32_t>(digits);
  if (!port || *port == 0 || *port > UINT16_MAX) return false;
  url.port = static_cast<std::uint16_t>(*port);
  return true;
}

bool IsPathPrefix(const std::vector<std::string>& prefix, const std::vector<std::string>& path) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

void AppendEncoded(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kUpperHex[byte >> 4];
  out += kUpperHex[byte & 15];
}

}  // namespace

std::string WebUrl::Authority() const {
  const bool is_default = port == (scheme == "https" ? 443 : 80);
  return is_default ? host : host + ":" + std::to_string(port);
}

std::string WebUrl::Origin() const { return scheme + "://" + Authority(); }

std::optional<WebUrl> ParseWebUrl(std::string_view text) {
  if (text.size() > kMaxUrl || !std::ranges::all_of(text, IsUrlCharacter)) return {};
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return {};
  WebUrl url;
  url.scheme = Lowered(text.substr(0, mark));
  if (url.scheme != "http" && url.scheme != "https") return {};
  text.remove_prefix(mark + 3);
  const auto hash = std::min(text.find('#'), text.size());
  url.fragment = text.substr(hash);
  text = text.substr(0, hash);
  const auto question = std::min(text.find('?'), text.size());
  url.query = text.substr(question);
  text = text.substr(0, question);
  const auto slash = std::min(text.find('/'), text.size());
  if (!ReadAuthority(text.substr(0, slash), url)) return {};
  url.path = slash == text.size() ? "/" : text.substr(slash);
  auto segments = SegmentsOf(url.path);
  if (!segments) return {};
  url.segments = std::move(*segments);
  return url;
}

bool IsReturnUrl(std::string_view text) {
  const auto url = ParseWebUrl(text);
  return url && url->query.empty() && url->fragment.empty();
}

std::optional<WebUrl> FindAllowed(const std::vector<std::string>& return_urls, std::string_view target) {
  auto url = ParseWebUrl(target);
  if (!url) return {};
  for (const auto& each : return_urls) {
    const auto allowed = ParseWebUrl(each);
    if (!allowed || allowed->scheme != url->scheme || allowed->host != url->host ||
        allowed->port != url->port) {
      continue;
    }
    if (IsPathPrefix(allowed->segments, url->segments)) return url;
  }
  return {};
}

std::string WithoutParameter(std::string_view query, std::string_view name) {
  std::string kept;
  if (query.starts_with('?')) query.remove_prefix(1);
  while (!query.empty()) {
    const auto parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    const auto key = DecodeOnce(parameter.substr(0, parameter.find('=')));
    if (parameter.empty() || !key || *key == name) continue;
    kept += kept.empty() ? '?' : '&';
    kept += parameter;
  }
  return kept;
}

std::string WithParameter(const WebUrl& target, std::string_view name, std::string_view value) {
  auto query = WithoutParameter(target.query, name);
  query += query.empty() ? '?' : '&';
  query.append(name).append("=").append(value);
  return target.Origin() + target.path + query + target.fragment;
}

std::optional<std::string> LocalPath(std::string_view text) {
  if (text.empty() || text.size() > kMaxUrl || text.front() != '/') return {};
  if (text.size() > 1 && (text[1] == '/' || text[1] == '\\')) return {};
  std::string path;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '\\') return {};
    if (IsUrlCharacter(c)) {
      path += c;
    } else {
      AppendEncoded(c, path);
    }
  }
  return path;
}

std::string EncodeParameter(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool unreserved = IsDecimal(c) || IsAsciiLetter(c) || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      AppendEncoded(c, out);
    }
  }
  return out;
}

}  // namespace maejin
