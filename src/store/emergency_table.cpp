#include "store/emergency_table.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/json_text.h"

namespace maejin {

std::string Describe(const Bypass& bypass, Time now) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("minutes", (bypass.ends_at - now + Millis{59'999}) / std::chrono::minutes(1));
    json.Field("until", bypass.ends_at);
  });
}

std::optional<Bypass> EmergencyTable::FindBypass(std::string_view room, Time now) const {
  if (!InUse(now)) return {};
  const std::shared_lock lock(mutex_);
  const auto found = controls_.bypasses.find(room);
  if (found == controls_.bypasses.end() || found->second.ends_at <= now) return {};
  return found->second;
}

std::optional<Time> EmergencyTable::maintenance_since() const {
  // Maintenance has no end of its own, so it keeps the table in use until the largest time.
  if (in_use_until_.load(std::memory_order_relaxed) != std::numeric_limits<std::int64_t>::max()) return {};
  const std::shared_lock lock(mutex_);
  return controls_.maintenance_since;
}

std::uint32_t EmergencyTable::CountStays(std::string_view room, Time now) const {
  if (!InUse(now)) return 0;
  const std::shared_lock lock(mutex_);
  const auto found = controls_.stay_ends.find(room);
  if (found == controls_.stay_ends.end()) return 0;
  const auto& ends = found->second;
  return static_cast<std::uint32_t>(ends.end() - std::upper_bound(ends.begin(), ends.end(), now));
}

void EmergencyTable::PutBypass(Bypass bypass) {
  const std::lock_guard lock(mutex_);
  controls_.bypasses.insert_or_assign(bypass.room, bypass);
  Changed();
}

bool EmergencyTable::EraseBypass(std::string_view room, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = controls_.bypasses.find(room);
  if (found == controls_.bypasses.end()) return false;
  const bool in_force = now < found->second.ends_at;
  controls_.bypasses.erase(found);
  Changed();
  return in_force;
}

void EmergencyTable::SetMaintenance(std::optional<Time> since) {
  const std::lock_guard lock(mutex_);
  controls_.maintenance_since = since;
  Changed();
}

void EmergencyTable::AddStay(std::string_view room, Time ends_at) {
  const std::lock_guard lock(mutex_);
  auto& ends = controls_.stay_ends[RoomId(room)];
  ends.insert(std::upper_bound(ends.begin(), ends.end(), ends_at), ends_at);
  controls_.stays_until = std::max(controls_.stays_until, ends_at);
  Changed();
}

void EmergencyTable::AddEnded(Time ends_at) {
  const std::lock_guard lock(mutex_);
  controls_.stays_until = std::max(controls_.stays_until, ends_at);
  Changed();
}

void EmergencyTable::RemoveStay(std::string_view room, Time ends_at) {
  const std::lock_guard lock(mutex_);
  const auto found = controls_.stay_ends.find(room);
  if (found == controls_.stay_ends.end()) return;
  auto& ends = found->second;
  const auto at = std::lower_bound(ends.begin(), ends.end(), ends_at);
  if (at != ends.end()) ends.erase(at);
  Changed();
}

void EmergencyTable::ForgetRoom(std::string_view room) {
  const std::lock_guard lock(mutex_);
  if (const auto found = controls_.bypasses.find(room); found != controls_.bypasses.end())
    controls_.bypasses.erase(found);
  if (const auto found = controls_.stay_ends.find(room); found != controls_.stay_ends.end())
    controls_.stay_ends.erase(found);
  Changed();
}

bool EmergencyTable::Prune(Time now) {
  const std::lock_guard lock(mutex_);
  auto past =
      std::erase_if(controls_.bypasses, [now](const auto& each) { return each.second.ends_at <= now; });
  for (auto& [room, ends] : controls_.stay_ends) {
    const auto lasting = std::upper_bound(ends.begin(), ends.end(), now);
    past += static_cast<std::size_t>(lasting - ends.begin());
    ends.erase(ends.begin(), lasting);
  }
  std::erase_if(controls_.stay_ends, [](const auto& each) { return each.second.empty(); });
  if (past > 0) Changed();
  return past > 0;
}

std::uint64_t EmergencyTable::version() const {
  const std::shared_lock lock(mutex_);
  return version_;
}

void EmergencyTable::Replace(Controls controls, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  if (version != version_) return;
  controls_ = std::move(controls);
  Changed();
}

void EmergencyTable::Changed() {
  ++version_;
  auto until = ToMillis(controls_.stays_until);
  for (const auto& [room, bypass] : controls_.bypasses) until = std::max(until, ToMillis(bypass.ends_at));
  if (controls_.maintenance_since) until = std::numeric_limits<std::int64_t>::max();
  in_use_until_.store(until, std::memory_order_relaxed);
}

}  // namespace maejin
