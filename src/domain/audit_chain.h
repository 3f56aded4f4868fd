// The hash chain of the audit log: changing or removing an entry breaks every later hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/key_ring.h"
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

// A keyed MAC of row `id` and its hash, stored outside the log. Only the holder of the keys can recompute the
// chain and write a matching MAC.
std::string AuditMac(const KeyRing& keys, std::int64_t id, std::string_view hash);
// True: one of the keys made the MAC.
bool IsAuditMac(const KeyRing& keys, std::int64_t id, std::string_view hash, std::string_view mac);

}  // namespace maejin
