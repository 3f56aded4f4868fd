// The ledger of `maejin sandbox-pay`: play money by idempotency key. Every key is charged at most once and
// refunded at most once; a repeated request gets the same answer.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace maejin::cli {

struct SandboxCharge {
  std::string key;
  std::int64_t amount = 0;
  std::string method;
  // CAPTURED, DECLINED, REFUNDED, or VOIDED (refunded before it was charged).
  std::string status;
  // How often money moved; at most 1 each.
  std::int64_t captures = 0;
  std::int64_t refunds = 0;
};

// Thread-safe.
class SandboxBank {
 public:
  // `file`: NDJSON, one row per change, written before the answer; the ledger survives a restart. Empty: in
  // memory only. The error is a sentence.
  static Result<std::unique_ptr<SandboxBank>, std::string> Open(const std::string& file);

  // Absent if the key was used with another amount.
  std::optional<SandboxCharge> Charge(const std::string& key, std::int64_t amount, const std::string& method,
                                      bool decline);
  // Absent if the key is unknown.
  std::optional<SandboxCharge> Find(const std::string& key) const;
  // Refunds the charge, or voids an unknown key.
  SandboxCharge Refund(const std::string& key);
  // All charges, ordered by key.
  std::vector<SandboxCharge> All() const;

 private:
  void Load(std::istream& lines);
  void Write(const SandboxCharge& charge);

  mutable std::mutex mutex_;
  std::map<std::string, SandboxCharge> charges_;  // guarded by mutex_
  std::ofstream file_;                            // guarded by mutex_
};

// One charge as a JSON object.
void WriteCharge(std::string& out, const SandboxCharge& charge);

}  // namespace maejin::cli
