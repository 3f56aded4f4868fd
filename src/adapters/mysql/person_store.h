// Erases persons from the bookings in the database.
#pragma once

#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/person_store.h"

namespace maejin::mysql {

class MysqlPersonStore final : public PersonStore {
 public:
  // Both outlive it.
  MysqlPersonStore(Pool& pool, Random& random) : pool_(pool), random_(random) {}

  Task<Outcome<std::int64_t>> Erase(Erasure erasure, Operator actor) override;
  Task<Outcome<std::int64_t>> ErasePast(Time before, std::size_t limit, Operator actor) override;

 private:
  Pool& pool_;
  Random& random_;
};

}  // namespace maejin::mysql
