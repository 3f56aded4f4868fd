#include "domain/waiting_room/return_url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/take_until.h"

namespace maejin {
namespace {

constexpr std::string_view kUpperHex = "0123456789ABCDEF";

// Absent: a '%' that is not %XX, or a decoded control character.
std::optional<std::string> DecodeOnce(std::string_view text) {
  auto decoded = PercentDecode(text);
  if (decoded && std::ranges::any_of(*decoded, IsControl)) return {};
  return decoded;
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
    auto decoded = DecodeOnce(TakeUntil(path, '/'));
    if (!decoded || IsUnsafe(*decoded)) return {};
    segments.push_back(std::move(*decoded));
  }
  return segments;
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

std::optional<WebUrl> ParseWebUrl(std::string_view text) {
  auto parts = SplitUrl(text);
  auto segments = parts ? SegmentsOf(parts->path) : std::nullopt;
  if (!segments) return {};
  return WebUrl{std::move(*parts), std::move(*segments)};
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
    const auto parameter = TakeUntil(query, '&');
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
    if (IsControl(c) || c == '\\') return {};
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
    const bool unreserved = IsLetterOrDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      AppendEncoded(c, out);
    }
  }
  return out;
}

}  // namespace maejin
