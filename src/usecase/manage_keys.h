// Operators' keys: create, list, delete, and find the key of a request.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "store/operator_key_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ManageKeys {
 public:
  ManageKeys(OperatorKeyStore& store, Random& random, const Clock& clock)
      : store_(store), random_(random), clock_(clock) {}

  struct NewKey {
    std::string id;
    std::string key;  // shown once, never stored
  };
  // Refuses: kInvalidField (expires_at is past), kTooManyRequests, kUnavailable.
  Task<Outcome<NewKey>> Create(std::string name, OperatorRole role, std::optional<Time> expires_at,
                               std::string actor);
  // Refuses: kNotFound, kUnavailable.
  Task<Outcome<Done>> Delete(std::string id, std::string actor);
  Task<Outcome<std::vector<OperatorKey>>> List() { return store_.List(); }
  // Never waits.
  std::optional<OperatorKey> Find(const Digest& digest) const { return store_.Find(digest, clock_.Now()); }

  // The holder of the key, as the audit log names it: "Front desk (0123456789abcdef)".
  static std::string ActorOf(const OperatorKey& key) { return key.name + " (" + key.id + ")"; }

 private:
  OperatorKeyStore& store_;
  Random& random_;
  const Clock& clock_;
};

}  // namespace maejin
