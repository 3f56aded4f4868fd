#include "usecase/pass_cache.h"

#include <functional>
#include <string>

namespace maejin {

struct PassCache::Checked {
  std::string text;
  Pass pass;
  // A rotation installs another set: a removed key verifies nothing.
  const KeyRing::Keys* keys;
};

std::size_t PassCache::SlotOf(std::string_view text) const {
  return std::hash<std::string_view>{}(text) % slots_.size();
}

PassCache::SharedPass PassCache::Find(const KeyRing& keys, std::string_view text, Time now) const {
  auto known = slots_[SlotOf(text)].load(std::memory_order_acquire);
  if (!known || known->text != text || known->keys != &keys.keys() || now >= known->pass.expires_at)
    return {};
  const auto* pass = &known->pass;
  return SharedPass(std::move(known), pass);
}

Result<PassCache::SharedPass, PassFault> PassCache::Read(const KeyRing& keys, std::string_view text,
                                                         Time now) {
  if (auto known = Find(keys, text, now)) return known;
  const auto* present = &keys.keys();
  auto read = ReadPass(keys, text, now);
  if (!read.ok()) return read.error();
  auto checked = std::make_shared<const Checked>(Checked{std::string(text), std::move(*read), present});
  slots_[SlotOf(text)].store(checked, std::memory_order_release);
  return SharedPass(checked, &checked->pass);
}

}  // namespace maejin
