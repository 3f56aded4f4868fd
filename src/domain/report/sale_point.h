// One moment of a sale, as its charts show it.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "domain/words.h"

namespace maejin {

// `waiting`, `entered`, `held`, `sold` and `revenue` are values at this moment. All other numbers except
// `p99` are counts since the concert was created.
struct SalePoint {
  Time at{};
  std::int64_t arrivals = 0;    // places given
  std::int64_t admissions = 0;  // slots given
  std::int64_t waiting = 0;
  std::int64_t entered = 0;
  std::int64_t held = 0;      // seats: held or being paid
  std::int64_t sold = 0;      // seats: paid now
  Money revenue = 0;          // of the seats that are paid now
  std::int64_t refused = 0;   // holds
  std::int64_t declined = 0;  // payments
  std::int64_t expired = 0;   // holds
  // The 99th percentile of all answer times of the slowest node, in the interval before this moment; 0: not
  // measured.
  std::chrono::microseconds p99{0};

  friend bool operator==(const SalePoint&, const SalePoint&) = default;
};

}  // namespace maejin
