// The series of sales in the shared database.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/sale_series.h"

namespace maejin::mysql {

class MysqlSaleSeries final : public SaleSeries {
 public:
  // The pool outlives it.
  explicit MysqlSaleSeries(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> Add(Points points) override;
  Task<Outcome<std::vector<SalePoint>>> Read(ConcertId concert, Time after) override;
  Task<Outcome<Done>> Thin(Time before, Millis span) override;
  Task<Outcome<Done>> Forget(Time before) override;

 private:
  Pool& pool_;
};

}  // namespace maejin::mysql
