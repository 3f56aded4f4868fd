// Makes entity tags, and compares them for If-None-Match (RFC 9110, 13.1.2).
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"

namespace maejin::http {

// A tag of this content, with its quotes.
inline std::string ContentTag(std::string_view content) {
  return "\"" + EncodeBase64Url(AsText(Sha256(content)).substr(0, 12)) + "\"";
}

// Weak comparison with one tag, a list of tags, or "*". `etag` has its quotes.
inline bool MatchesTag(std::string_view if_none_match, std::string_view etag) {
  return !if_none_match.empty() &&
         (if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos);
}

}  // namespace maejin::http
