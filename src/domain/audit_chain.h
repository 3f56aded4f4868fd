// The operators' actions are chained by hashes: whoever changes or removes one breaks every hash after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace maejin {

struct AuditEntry {
  Time at;
  std::string_view actor;
  std::string_view action;   // "room.configure"
  std::string_view subject;  // "room 7"
  std::string_view detail;   // JSON, or empty
};

// The hash of row `id`, which follows one whose hash is `before` (empty: none).
std::string AuditHash(std::string_view before, std::int64_t id, const AuditEntry& entry);

}  // namespace maejin
