// The ledger of `maejin sandbox-pay`: play money, kept by the payer's key. Every key is charged once and refunded once, however
// often it is asked; what is asked again gets the same answer.
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
  // CAPTURED, DECLINED, REFUNDED, or VOIDED (closed before anything was taken).
  std::string status;
  // How often money moved; never more than once each.
  std::int64_t captures = 0;
  std::int64_t refunds = 0;
};

// Thread-safe.
class SandboxBank {
 public:
  // With a file the ledger outlives the process: a line of JSON for every change, written before it is answered. The error is a
  // sentence.
  static Result<std::unique_ptr<SandboxBank>, std::string> Open(const std::string& file);

  // Absent: the key was used for another amount.
  std::optional<SandboxCharge> Charge(const std::string& key, std::int64_t amount, const std::string& method,
                                      bool decline);
  // Absent: nobody ever named the key.
  std::optional<SandboxCharge> Find(const std::string& key) const;
  // Gives back what was taken, or closes the key.
  SandboxCharge Refund(const std::string& key);
  // Every key that was ever named, in the order of the keys.
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
