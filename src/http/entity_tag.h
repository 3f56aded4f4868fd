// Compares entity tags for If-None-Match (RFC 9110, 13.1.2).
#pragma once

#include <string_view>

namespace maejin::http {

// Weak comparison with one tag, a list of tags, or "*". `etag` has its quotes.
inline bool MatchesTag(std::string_view if_none_match, std::string_view etag) {
  return !if_none_match.empty() &&
         (if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos);
}

}  // namespace maejin::http
