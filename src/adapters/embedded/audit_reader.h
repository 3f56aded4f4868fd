// Reads the audit log of the database, on a connection of its own: it never waits for a writer.
#pragma once

#include <mutex>
#include <string>

#include "adapters/embedded/sqlite.h"
#include "store/audit_store.h"

namespace maejin::embedded {

class AuditReader {
 public:
  // Throws SqliteError.
  explicit AuditReader(const std::string& database) : connection_(database, Connection::Mode::kReadOnly) {}
  // Waits for the disk.
  Task<Outcome<std::vector<AuditRow>>> Page(std::optional<std::int64_t> before, std::size_t limit) {
    co_return Read(before, limit);
  }

 private:
  Outcome<std::vector<AuditRow>> Read(std::optional<std::int64_t> before, std::size_t limit);

  std::mutex mutex_;
  Connection connection_;  // guarded by mutex_
};

}  // namespace maejin::embedded
