#include "store/operator_key_table.h"

#include <algorithm>
#include <mutex>

#include "base/json_text.h"

namespace maejin {

std::optional<OperatorKey> OperatorKeyTable::Find(const Digest& digest, Time now) const {
  const std::shared_lock lock(mutex_);
  const auto found = keys_.find(digest);
  if (found == keys_.end() || found->second.Expired(now)) return {};
  return found->second;
}

std::vector<OperatorKey> OperatorKeyTable::List() const {
  std::vector<OperatorKey> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [digest, key] : keys_) all.push_back(key);
  }
  std::sort(all.begin(), all.end(), [](const OperatorKey& a, const OperatorKey& b) {
    return std::tie(a.created_at, a.id) < std::tie(b.created_at, b.id);
  });
  return all;
}

std::size_t OperatorKeyTable::size() const {
  const std::shared_lock lock(mutex_);
  return keys_.size();
}

bool OperatorKeyTable::Has(const std::string& id) const {
  const std::shared_lock lock(mutex_);
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& entry) { return entry.second.id == id; });
}

void OperatorKeyTable::Put(const Digest& digest, OperatorKey key) {
  const std::lock_guard lock(mutex_);
  keys_[digest] = std::move(key);
  ++version_;
}

void OperatorKeyTable::Erase(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(keys_, [&](const auto& entry) { return entry.second.id == id; });
  ++version_;
}

std::uint64_t OperatorKeyTable::version() const {
  const std::shared_lock lock(mutex_);
  return version_;
}

void OperatorKeyTable::Replace(Keys keys, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  if (version == version_) keys_ = std::move(keys);
}

std::string Describe(const OperatorKey& key) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("name", key.name);
    json.Field("role", Name(key.role));
    json.OptionalField("expiresAt", key.expires_at);
  });
}

}  // namespace maejin
