// Reads the audit log.
#pragma once

#include "store/audit_store.h"

namespace maejin {

// Thread-safe. The store outlives it.
class ReadAudit {
 public:
  explicit ReadAudit(AuditStore& store) : store_(store) {}
  // Refuses: kUnavailable.
  Task<Outcome<std::vector<AuditRow>>> operator()(std::optional<std::int64_t> before,
                                                  std::size_t limit) const {
    return store_.Page(before, limit);
  }

 private:
  AuditStore& store_;
};

}  // namespace maejin
