// Operators' keys in the embedded database.
#pragma once

#include <mutex>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "store/operator_key_table.h"

namespace maejin::embedded {

class EmbeddedOperatorKeyStore final : public OperatorKeyStore {
 public:
  // Loads the keys. Journal and log outlive it. Throws SqliteError.
  EmbeddedOperatorKeyStore(Connection& reader, Journal& journal, AuditLog& audit);

  Task<Outcome<Done>> Add(OperatorKey key, Digest digest, Operator actor) override;
  Task<Outcome<Done>> Remove(std::string id, Operator actor) override;
  Task<Outcome<std::vector<OperatorKey>>> List() override { co_return table_.List(); }
  std::optional<OperatorKey> Find(const Digest& digest, Time now) const override {
    return table_.Find(digest, now);
  }

 private:
  Journal& journal_;
  AuditLog& audit_;
  std::mutex mutex_;  // rows are appended in the order of the table's changes
  OperatorKeyTable table_;
};

}  // namespace maejin::embedded
