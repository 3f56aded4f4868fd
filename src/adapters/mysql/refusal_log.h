// Refusal counts in the shared database.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/refusal_log.h"

namespace maejin::mysql {

class MysqlRefusalLog final : public RefusalLog {
 public:
  // The pool outlives it.
  explicit MysqlRefusalLog(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> Add(Counts counts) override;
  Task<Outcome<std::map<std::string, std::int64_t>>> Read(ConcertId concert) override;

 private:
  Pool& pool_;
};

}  // namespace maejin::mysql
