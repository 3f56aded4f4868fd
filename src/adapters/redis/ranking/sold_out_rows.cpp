#include "adapters/redis/ranking/sold_out_rows.h"

namespace maejin::redis {

template <class SoldOut>
void SoldOutRows::Keep(Cache<SoldOut>& cache, const SoldOut& row) {
  if (cache.recent.size() >= kRecentRows) {
    cache.older = std::move(cache.recent);
    cache.recent.clear();
  }
  cache.recent.insert_or_assign(IdOf(row), row);
}

template <class SoldOut>
Task<Outcome<SoldOutRows::ById<SoldOut>>> SoldOutRows::Find(std::vector<std::int64_t> ids) {
  ById<SoldOut> found;
  std::vector<std::int64_t> missing;
  std::uint64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    version = version_;
    auto& cache = CacheOf<SoldOut>();
    for (const auto id : ids) {
      if (const auto row = cache.recent.find(id); row != cache.recent.end()) {
        found.try_emplace(id, row->second);
      } else if (const auto old = cache.older.find(id); old != cache.older.end()) {
        const auto& kept = found.try_emplace(id, std::move(old->second)).first->second;
        cache.older.erase(old);
        Keep(cache, kept);
      } else if (!found.contains(id)) {
        missing.push_back(id);
      }
    }
  }
  if (missing.empty()) co_return found;
  auto rows = co_await RowsWith<SoldOut>(history_, std::move(missing));
  if (!rows.ok()) co_return rows.error();
  const std::lock_guard lock(mutex_);
  for (auto& row : *rows) {
    if (version == version_) Keep(CacheOf<SoldOut>(), row);
    const auto id = IdOf(row);
    found.try_emplace(id, std::move(row));
  }
  co_return found;
}

template Task<Outcome<SoldOutRows::ById<ConcertSoldOut>>> SoldOutRows::Find<ConcertSoldOut>(
    std::vector<std::int64_t> ids);
template Task<Outcome<SoldOutRows::ById<ScheduleSoldOut>>> SoldOutRows::Find<ScheduleSoldOut>(
    std::vector<std::int64_t> ids);

template <class SoldOut>
std::int64_t SoldOutRows::Refresh(const std::vector<SoldOut>& rows) {
  std::int64_t replaced = 0;
  const std::lock_guard lock(mutex_);
  auto& cache = CacheOf<SoldOut>();
  for (const auto& row : rows) {
    for (auto* half : {&cache.recent, &cache.older}) {
      const auto cached = half->find(IdOf(row));
      if (cached == half->end() || cached->second == row) continue;
      cached->second = row;
      ++replaced;
    }
  }
  return replaced;
}

template std::int64_t SoldOutRows::Refresh(const std::vector<ConcertSoldOut>& rows);
template std::int64_t SoldOutRows::Refresh(const std::vector<ScheduleSoldOut>& rows);

void SoldOutRows::ClearLocked() {
  ++version_;
  concerts_ = {};
  schedules_ = {};
}

void SoldOutRows::Clear() {
  const std::lock_guard lock(mutex_);
  ClearLocked();
}

void SoldOutRows::Follow(std::int64_t corrections) {
  const std::lock_guard lock(mutex_);
  if (corrections == corrections_) return;
  corrections_ = corrections;
  ClearLocked();
}

}  // namespace maejin::redis
