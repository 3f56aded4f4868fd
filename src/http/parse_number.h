// Ids and counts in paths and queries.
#pragma once

#include <cstdint>

#include "base/numbers.h"

namespace maejin::http {

// A whole number from `least`, or absent.
inline std::optional<std::int64_t> ParseNumber(std::string_view text, std::int64_t least = 1) {
  return ParseInt<std::int64_t>(text, least, INT64_MAX);
}

}  // namespace maejin::http
