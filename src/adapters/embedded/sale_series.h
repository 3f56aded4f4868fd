// The series of sales in the data folder.
#pragma once

#include <string>

#include "adapters/embedded/journal.h"
#include "store/sale_series.h"

namespace maejin::embedded {

class EmbeddedSaleSeries final : public SaleSeries {
 public:
  // The journal outlives it; `database` is the file that it writes to.
  EmbeddedSaleSeries(Journal& journal, std::string database)
      : journal_(journal), database_(std::move(database)) {}

  Task<Outcome<Done>> Add(Points points) override;
  Task<Outcome<std::vector<SalePoint>>> Read(ConcertId concert, Time after) override;
  Task<Outcome<Done>> Thin(Time before, Millis span) override;
  Task<Outcome<Done>> Forget(Time before) override;

 private:
  Task<Outcome<Done>> Write(WriteSet rows);

  Journal& journal_;
  const std::string database_;
};

}  // namespace maejin::embedded
