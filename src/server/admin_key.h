// The operators' keys, and a limit on wrong keys: an address that sends many different wrong keys is refused
// for a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/crypto.h"
#include "base/metrics.h"
#include "domain/operator_role.h"
#include "domain/refusal.h"
#include "server/request.h"

namespace maejin::http {

// The operator of an accepted key.
struct OperatorIdentity {
  std::string actor;  // for the audit log
  OperatorRole role = OperatorRole::kOwner;
};
// The operator whose key has this SHA-256 digest; absent: no operator. Thread-safe, never waits.
using FindOperator = std::function<std::optional<OperatorIdentity>(const Digest&)>;

// The operator of the request's session cookie. Absent: the request has no session cookie. A refusal: the
// session is not valid, or a page of another site sent the request. Thread-safe, never waits.
using FindSession = std::function<std::optional<Outcome<OperatorIdentity>>(const Request&)>;

// The key from the key file, with the role owner. Only its digest is kept, and compared in constant time.
class AdminKey {
 public:
  // No key: every admin request is refused.
  AdminKey() = default;
  explicit AdminKey(std::string_view key) {
    if (!key.empty()) digest_ = Sha256(key);
  }
  // The value of an Authorization header: "Bearer <key>".
  bool Accepts(std::string_view authorization) const;

 private:
  std::optional<Digest> digest_;
};

enum class AdminVerdict : std::uint8_t {
  kAccepted,
  kRefused,          // 401: no key, or a wrong one
  kTooManyAttempts,  // 429: no key is checked, not even the right one
};

// Thread-safe.
class AdminGate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // An address that sends more wrong keys than this within kWindow is limited until the window ends. A
  // repetition of the last wrong key does not count.
  static constexpr std::uint32_t kAttempts = 20;
  static constexpr std::chrono::seconds kWindow{60};

  AdminGate(AdminKey key, Metrics& metrics, FindOperator find = {});

  // `client` is the request's address, as text. Sets `identity` if the key is accepted.
  AdminVerdict Check(std::string_view authorization, std::string_view client, TimePoint now,
                     OperatorIdentity& identity);
  // Counts a request whose key has too low a role.
  void CountForbidden() { forbidden_.Add(); }

 private:
  struct Attempts {
    TimePoint window_end;
    std::uint32_t count = 0;
    // The first bytes of the digest of the last wrong key. A client that repeats a wrong key guesses nothing.
    std::uint64_t last_key = 0;
  };
  bool Accepts(std::string_view authorization, OperatorIdentity& identity) const;
  bool Limited(std::uint64_t address, TimePoint now);
  AdminVerdict CountWrongKey(std::string_view token, std::string_view client, TimePoint now);

  // At this many addresses, addresses whose window has ended are evicted; if there are none, all addresses
  // are evicted.
  static constexpr std::size_t kAddresses = 10'000;

  const AdminKey key_;
  const FindOperator find_;  // or null: only the key file's key is known
  Counter& wrong_keys_;
  Counter& limited_;
  Counter& forbidden_;
  std::atomic<bool> any_limited_{false};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Attempts> by_address_;  // guarded by mutex_
};

// The token of "Bearer <token>", or an empty view.
std::string_view BearerToken(std::string_view authorization);

}  // namespace maejin::http
