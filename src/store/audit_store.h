// The port of the audit log of operators' actions. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

struct AuditRow {
  std::int64_t id = 0;
  Time at{};
  std::string actor;
  std::string action;     // "room.configure"
  std::string subject;    // "room 7"
  std::string detail;     // JSON, or empty
  std::string hash = {};  // of the chain (domain/audit_chain.h); set by Page()
};

class AuditStore {
 public:
  virtual ~AuditStore() = default;
  // At most `limit` rows with ids below `before`, newest first. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<AuditRow>>> Page(std::optional<std::int64_t> before,
                                                    std::size_t limit) = 0;
  // Appends the row of an action that no other transaction records; `row.id` and `row.hash` are ignored. The
  // row is durable when this returns. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Record(AuditRow row) = 0;
};

}  // namespace maejin
