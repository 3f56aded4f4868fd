// Operators' keys in the database, with a copy in the memory of each node.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/operator_key_table.h"

namespace maejin::mysql {

class MysqlOperatorKeyStore final : public OperatorKeyStore {
 public:
  // The pool outlives it. Call Refresh() before the first Find().
  explicit MysqlOperatorKeyStore(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> Add(OperatorKey key, Digest digest, Operator actor) override;
  Task<Outcome<Done>> Remove(std::string id, Operator actor) override;
  Task<Outcome<std::vector<OperatorKey>>> List() override;
  std::optional<OperatorKey> Find(const Digest& digest, Time now) const override {
    return table_.Find(digest, now);
  }

  // Reads the keys of all nodes. Call about every second. Throws MysqlError.
  void Refresh(Connection& connection);

 private:
  Pool& pool_;
  OperatorKeyTable table_;
};

}  // namespace maejin::mysql
