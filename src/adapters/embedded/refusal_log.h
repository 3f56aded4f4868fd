// Refusal counts in the data folder.
#pragma once

#include <string>

#include "adapters/embedded/journal.h"
#include "store/refusal_log.h"

namespace maejin::embedded {

class EmbeddedRefusalLog final : public RefusalLog {
 public:
  // The journal outlives it; `database` is the file that it writes to.
  EmbeddedRefusalLog(Journal& journal, std::string database)
      : journal_(journal), database_(std::move(database)) {}

  Task<Outcome<Done>> Add(Counts counts) override;
  Task<Outcome<std::map<std::string, std::int64_t>>> Read(ConcertId concert) override;

 private:
  Journal& journal_;
  const std::string database_;
};

}  // namespace maejin::embedded
