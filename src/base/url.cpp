#include "base/url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/numbers.h"

namespace maejin {
namespace {

bool IsHostName(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  const auto allowed = [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '.' || c == '_'; };
  const bool has_empty_label =
      host.front() == '.' || host.back() == '.' || host.find("..") != std::string_view::npos;
  return std::ranges::all_of(host, allowed) && !has_empty_label;
}

bool IsAddressInBrackets(std::string_view host) {
  if (host.size() < 4 || host.front() != '[' || host.back() != ']') return false;
  const auto inner = host.substr(1, host.size() - 2);
  return std::ranges::all_of(inner, [](char c) { return HexValue(c) >= 0 || c == ':' || c == '.'; });
}

// Reads "host" or "host:port" into `url`.
bool ReadAuthority(std::string_view text, UrlParts& url) {
  const auto bracket = text.rfind(']');
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const auto host = text.substr(0, colon);
  if (!IsHostName(host) && !IsAddressInBrackets(host)) return false;
  url.host = Lowered(host);
  url.port = url.scheme == "https" ? 443 : 80;
  if (colon == std::string_view::npos) return true;
  const auto digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 5 || !std::ranges::all_of(digits, IsDigit)) return false;
  const auto port = ParseInt<std::uint32_t>(digits);
  if (!port || *port == 0 || *port > UINT16_MAX) return false;
  url.port = static_cast<std::uint16_t>(*port);
  return true;
}

}  // namespace

bool IsUrlCharacter(char c) {
  constexpr std::string_view kOthers = "-._~:/?#[]@!$&'()*+,;=%";
  return IsLetterOrDigit(c) || kOthers.find(c) != std::string_view::npos;
}

bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = HexValue(text[i + 1]);
      const int low = HexValue(text[i + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return true;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  if (!PercentDecode(text, false, out)) return {};
  return out;
}

std::string UrlParts::BareHost() const {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

std::string UrlParts::Authority() const {
  const bool is_default = port == (scheme == "https" ? 443 : 80);
  return is_default ? host : host + ":" + std::to_string(port);
}

std::string UrlParts::Origin() const { return scheme + "://" + Authority(); }

std::optional<UrlParts> SplitUrl(std::string_view text) {
  if (text.size() > kMaxUrl || !std::ranges::all_of(text, IsUrlCharacter)) return {};
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return {};
  UrlParts url;
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
  return url;
}

std::optional<UrlParts> SplitRequestUrl(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  auto url = SplitUrl(text);
  if (text.size() > kLongest || !url || !url->fragment.empty()) return {};
  return url;
}

}  // namespace maejin
