// The server's signing keys: MAC keys for place tokens, ES256 keys for passes. The newest of each signs.
// Older keys verify until they are removed, so that tokens stay valid across a rotation.
//
// Thread-safe: reading never blocks. A rotation installs a new set and keeps the old one alive.
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

  explicit KeyRing(std::unique_ptr<const Keys> keys) { Install(std::move(keys)); }

  const Keys& keys() const { return *current_.load(std::memory_order_acquire); }
  const MacKey& CurrentMac() const { return keys().macs.front(); }
  // The key of that short number, or nullptr.
  const MacKey* FindMac(std::uint8_t short_number) const;
  const SigningKey& CurrentSigner() const { return keys().signers.front(); }
  // The signing key of that id, or nullptr.
  const SigningKey* FindSigner(std::string_view key_id) const;
  // {"keys":[…]}: the public halves, for /.well-known/jwks.json.
  std::string Jwks() const;

  void Install(std::unique_ptr<const Keys> keys);

 private:
  std::atomic<const Keys*> current_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const Keys>> all_;  // guarded by mutex_: readers may still hold an old one
};

}  // namespace maejin
