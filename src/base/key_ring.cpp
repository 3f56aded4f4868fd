#include "base/key_ring.h"

namespace maejin {

const MacKey* KeyRing::FindMac(std::uint8_t short_number) const {
  for (const auto& key : keys().macs) {
    if (key.short_number() == short_number) return &key;
  }
  return nullptr;
}

const SigningKey* KeyRing::FindSigner(std::string_view key_id) const {
  const auto& all = keys();
  for (std::size_t i = 0; i < all.signers.size(); ++i) {
    if (all.signer_ids[i] == key_id) return &all.signers[i];
  }
  return nullptr;
}

std::string KeyRing::Jwks() const {
  std::string text = R"({"keys":[)";
  for (const auto& key : keys().signers) {
    if (text.back() != '[') text += ',';
    text += key.PublicKey().ToJwk();
  }
  return text + "]}";
}

void KeyRing::Install(std::unique_ptr<const Keys> keys) {
  const std::lock_guard lock(mutex_);
  current_.store(keys.get(), std::memory_order_release);
  all_.push_back(std::move(keys));
}

}  // namespace maejin
