// The server's signing keys: MAC keys for place tokens, ES256 keys for passes. The newest key of each kind
// signs. Older keys verify until they are removed, so that tokens stay valid across a rotation.
//
// Thread-safe. A rotation installs a new set; the old set is freed when no thread refers to it any more.
// Readers share no cache line: each thread has its own reference to the newest set that it has read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace maejin {

struct MacKey {
  std::uint32_t number;  // counts rotations, from 1
  HmacSha256 hmac;

  // The key number in a token. Unique among the kept keys, which are fewer than 256.
  std::uint8_t short_number() const { return static_cast<std::uint8_t>(number); }
};

class KeyRing {
 public:
  struct Keys {
    std::vector<MacKey> macs;             // newest first, at least one
    std::vector<SigningKey> signers;      // newest first, at least one
    std::vector<std::string> signer_ids;  // KeyId() of each
  };

  // A pointer to a set or to one of its keys keeps the whole set alive.
  using SharedKeys = std::shared_ptr<const Keys>;
  using SharedMac = std::shared_ptr<const MacKey>;
  using SharedSigner = std::shared_ptr<const SigningKey>;

  explicit KeyRing(SharedKeys keys) { Install(std::move(keys)); }

  SharedKeys keys() const;
  SharedMac CurrentMac() const;
  // The key of that short number, or null.
  SharedMac FindMac(std::uint8_t short_number) const;
  // The signing key of that id, or null.
  SharedSigner FindSigner(std::string_view key_id) const;
  // {"keys":[…]}: the public halves, for /.well-known/jwks.json.
  std::string Jwks() const;

  void Install(SharedKeys keys);
  // Another number after every Install(). No two rings of a process have the same version.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  SharedKeys current_;                     // guarded by mutex_
  std::atomic<std::uint64_t> version_{0};  // written under mutex_
};

}  // namespace maejin
