// The newest row of the audit log that this node has seen, in a file of its data folder. The chain in the
// database cannot show that its end was cut off, or that all its hashes were recomputed. The file shows both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "adapters/mysql/connection.h"
#include "base/key_ring.h"

namespace maejin::mysql {

// Not thread-safe: one thread uses it.
class AuditMark {
 public:
  // The file need not exist. `keys` outlives it.
  AuditMark(std::filesystem::path file, const KeyRing& keys);

  // The path of the mark's file in the data folder.
  static std::filesystem::path FileIn(const std::filesystem::path& folder) { return folder / "audit-mark"; }

  // A sentence for the operator if the log lacks the row of the mark, or has a different row there. Absent:
  // the log has everything that the mark records. Throws MysqlError.
  std::optional<std::string> FindLoss(Connection& connection) const;
  // Moves the mark to the end of the log. If FindLoss() finds a loss, Follow() reports it once, and the mark
  // stays until the operator removes the file. Call about once a second. Throws MysqlError.
  void Follow(Connection& connection);

 private:
  void Write(std::int64_t id, const std::string& hash);

  const std::filesystem::path file_;
  const KeyRing& keys_;
  std::int64_t id_ = 0;  // 0: there is no mark
  std::string mac_;
  bool reported_ = false;  // the node has logged the loss, or the failed write
};

}  // namespace maejin::mysql
