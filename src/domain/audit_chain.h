// The hash chain of the audit log: changing or removing an entry breaks every later hash.
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

// The hash of row `id`; `before` is the hash of the previous row, or empty.
std::string AuditHash(std::string_view before, std::int64_t id, const AuditEntry& entry);

}  // namespace maejin
