// The routes of `maejin sandbox-pay`:
//   POST /charges {key, amount, method}   charges once per key
//   GET  /charges/{key}                   the charge; status NONE for an unknown key
//   POST /charges/{key}/refund            refunds, or voids the key
//   GET  /ledger                          all charges, for audits
//   GET·POST /faults                       the configured faults
// The charge routes answer {key, amount, method, status, captures, refunds}.
#pragma once

#include <memory>
#include <mutex>
#include <random>
#include <string_view>

#include "base/time.h"
#include "cli/sandbox/sandbox_bank.h"
#include "server/router.h"

namespace maejin::cli {

// Each percentage is the share of calls with that fault. A charge whose method is "test-slow", "test-late",
// "test-lost", "test-twice" or "test-declined" always has exactly that fault.
struct SandboxFaults {
  std::int64_t slow_percent = 0;
  std::int64_t slow_ms = 3000;  // delay before the money moves
  std::int64_t late_percent = 0;
  std::int64_t late_ms = 3000;        // delay after the money moved
  std::int64_t lost_percent = 0;      // the money moves, then the connection closes without an answer
  std::int64_t twice_percent = 0;     // the answer is sent twice
  std::int64_t declined_percent = 0;  // of charges
  bool down = false;                  // 503, and no money moves
};

// Chooses the faults of each call at random. Thread-safe.
class FaultInjector {
 public:
  // The faults of one call.
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

// `bank` and `injector` outlive the router.
void AddSandboxRoutes(http::Router& router, SandboxBank& bank, FaultInjector& injector);

}  // namespace maejin::cli
