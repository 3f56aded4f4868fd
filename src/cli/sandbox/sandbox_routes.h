// What `maejin sandbox-pay` answers:
//   POST /charges {key, amount, method}   takes the money, once per key
//   GET  /charges/{key}                   what became of it; status NONE where nobody named it
//   POST /charges/{key}/refund            gives it back, or closes the key
//   GET  /ledger                          every key, for audits
//   GET·POST /faults                       how it misbehaves
// Charge, look and refund answer {key, amount, method, status, captures, refunds}.
#pragma once

#include <memory>
#include <mutex>
#include <random>
#include <string_view>

#include "base/time.h"
#include "cli/sandbox/sandbox_bank.h"
#include "server/router.h"

namespace maejin::cli {

// Percentages of calls. A charge whose method is "test-slow", "test-late", "test-lost", "test-twice" or "test-declined" has that
// fault for certain, and no other.
struct SandboxFaults {
  std::int64_t slow_percent = 0;
  std::int64_t slow_ms = 3000;  // before the money moves
  std::int64_t late_percent = 0;
  std::int64_t late_ms = 3000;        // after the money moved
  std::int64_t lost_percent = 0;      // the money moves, and the connection ends without an answer
  std::int64_t twice_percent = 0;     // the answer is sent twice
  std::int64_t declined_percent = 0;  // of charges
  bool down = false;                  // 503, and no money moves
};

// Thread-safe.
class SandboxMood {
 public:
  // What happens to one call.
  struct Plan {
    Millis before{0};
    Millis after{0};
    int copies = 1;
    bool declined = false;
    bool down = false;
  };
  Plan Next(std::string_view method);
  SandboxFaults faults() const;
  void Set(const SandboxFaults& faults);

 private:
  mutable std::mutex mutex_;
  SandboxFaults faults_;           // guarded by mutex_
  std::mt19937 random_{20261115};  // guarded by mutex_
};

// Both outlive the router.
void AddSandboxRoutes(http::Router& router, SandboxBank& bank, SandboxMood& mood);

}  // namespace maejin::cli
