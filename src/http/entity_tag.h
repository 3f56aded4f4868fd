// What a reader already has: RFC 9110, 13.1.2.
#pragma once

#include <string_view>

namespace maejin::http {

// "W/" or not, one or several, or "*": the weak comparison, as If-None-Match asks for. `etag` with its quotes.
inline bool MatchesTag(std::string_view if_none_match, std::string_view etag) {
  return !if_none_match.empty() &&
         (if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos);
}

}  // namespace maejin::http
