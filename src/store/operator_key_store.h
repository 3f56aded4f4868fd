// The port of operators' keys. A key is stored as its SHA-256 digest. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/task.h"
#include "domain/operator_role.h"
#include "domain/refusal.h"
#include "store/operator.h"

namespace maejin {

struct OperatorKey {
  std::string id;  // 16 hexadecimal digits; not secret
  std::string name;
  OperatorRole role = OperatorRole::kViewer;
  Time created_at{};
  std::optional<Time> expires_at;

  bool Expired(Time now) const { return expires_at && *expires_at <= now; }
};

class OperatorKeyStore {
 public:
  static constexpr std::size_t kMaxKeys = 1000;
  // The refusal of a key beyond kMaxKeys.
  static Refused TooManyKeys() {
    return {Refusal::kTooManyRequests, Quota{.name = "operator-keys", .limit = kMaxKeys},
            "1000 keys exist: delete unused ones"};
  }

  virtual ~OperatorKeyStore() = default;

  // Adds the key and an audit row, together. Refuses: kTooManyRequests (kMaxKeys are stored), kUnavailable.
  virtual Task<Outcome<Done>> Add(OperatorKey key, Digest digest, Operator actor) = 0;
  // Removes the key and adds an audit row, together. From then on this node does not accept the key.
  // Refuses: kNotFound, kUnavailable.
  virtual Task<Outcome<Done>> Remove(std::string id, Operator actor) = 0;
  // All keys, the oldest first, expired ones included. Refuses: kUnavailable.
  virtual Task<Outcome<std::vector<OperatorKey>>> List() = 0;

  // Never waits. Where nodes share the store, changes of other nodes are visible within two seconds; during
  // an outage of the database the last known keys are valid. Absent: unknown or expired.
  virtual std::optional<OperatorKey> Find(const Digest& digest, Time now) const = 0;
};

}  // namespace maejin
