#include "usecase/pass_cache.h"

#include <functional>
#include <string>

namespace maejin {

struct PassCache::Checked {
  std::string text;
  Pass pass;
  // KeyRing::version() at the check. A rotation of the keys changes the version, so that every pass is
  // checked again: a removed key must verify nothing.
  std::uint64_t keys;
};

namespace {

std::size_t HashOf(std::string_view text) { return std::hash<std::string_view>{}(text); }
std::uint32_t TagOf(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

PassCache::SharedPass PassCache::Find(const KeyRing& keys, std::string_view text, Time now) const {
  const auto hash = HashOf(text);
  for (const auto& slot : sets_[hash % sets_.size()]) {
    if (slot.tag.load(std::memory_order_relaxed) != TagOf(hash)) continue;
    auto known = slot.checked.load(std::memory_order_acquire);
    if (!known || known->text != text || known->keys != keys.version() || now >= known->pass.expires_at)
      continue;
    const auto* pass = &known->pass;
    return SharedPass(std::move(known), pass);
  }
  return {};
}

// An empty or expired entry, if there is one. Otherwise the hash chooses, so that not always the same entry
// is replaced.
PassCache::Slot& PassCache::SlotToReplace(Set& set, std::size_t hash, Time now) {
  for (auto& slot : set) {
    const auto known = slot.checked.load(std::memory_order_acquire);
    if (!known || now >= known->pass.expires_at) return slot;
  }
  return set[TagOf(hash) % set.size()];
}

Result<PassCache::SharedPass, PassFault> PassCache::Read(const KeyRing& keys, std::string_view text,
                                                         Time now) {
  if (auto known = Find(keys, text, now)) return known;
  const auto present = keys.version();
  auto read = ReadPass(keys, text, now);
  if (!read.ok()) return read.error();
  auto checked = std::make_shared<const Checked>(Checked{std::string(text), std::move(*read), present});
  const auto hash = HashOf(text);
  auto& slot = SlotToReplace(sets_[hash % sets_.size()], hash, now);
  slot.checked.store(checked, std::memory_order_release);
  slot.tag.store(TagOf(hash), std::memory_order_relaxed);
  return SharedPass(checked, &checked->pass);
}

}  // namespace maejin
