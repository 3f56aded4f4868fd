// The port of refusal counts: refused holds and declined payments, by concert and code. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/task.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

class RefusalLog {
 public:
  virtual ~RefusalLog() = default;

  // By concert and code of the refusal.
  using Counts = std::map<std::pair<ConcertId, std::string>, std::int64_t>;
  // Adds `counts` to the stored counts, which are durable when this returns. Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Add(Counts counts) = 0;
  // The stored counts of one concert, by code. Refuses: kUnavailable.
  virtual Task<Outcome<std::map<std::string, std::int64_t>>> Read(ConcertId concert) = 0;
};

}  // namespace maejin
