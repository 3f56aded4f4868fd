#include "base/key_ring.h"

namespace maejin {

KeyRing::SharedKeys KeyRing::keys() const {
  // The newest set that this thread has read. The pointers that keys() returns here share the reference
  // count of `own`, which belongs to this thread: threads do not contend for one count.
  struct Read {
    std::uint64_t version = 0;
    std::shared_ptr<const SharedKeys> own;
  };
  thread_local Read read;
  if (read.version != version()) {
    const std::lock_guard lock(mutex_);
    read = {version(), std::make_shared<const SharedKeys>(current_)};
  }
  return {read.own, read.own->get()};
}

KeyRing::SharedMac KeyRing::CurrentMac() const {
  auto all = keys();
  const auto* key = &all->macs.front();
  return {std::move(all), key};
}

KeyRing::SharedMac KeyRing::FindMac(std::uint8_t short_number) const {
  auto all = keys();
  for (const auto& key : all->macs) {
    if (key.short_number() == short_number) return {std::move(all), &key};
  }
  return nullptr;
}

KeyRing::SharedSigner KeyRing::FindSigner(std::string_view key_id) const {
  auto all = keys();
  for (std::size_t i = 0; i < all->signers.size(); ++i) {
    const auto* key = &all->signers[i];
    if (all->signer_ids[i] == key_id) return {std::move(all), key};
  }
  return nullptr;
}

std::string KeyRing::Jwks() const {
  const auto all = keys();
  std::string text = R"({"keys":[)";
  for (const auto& key : all->signers) {
    if (text.back() != '[') text += ',';
    text += key.PublicKey().ToJwk();
  }
  return text + "]}";
}

void KeyRing::Install(SharedKeys keys) {
  static std::atomic<std::uint64_t> installed{0};
  const std::lock_guard lock(mutex_);
  current_ = std::move(keys);
  version_.store(installed.fetch_add(1) + 1, std::memory_order_release);
}

}  // namespace maejin
