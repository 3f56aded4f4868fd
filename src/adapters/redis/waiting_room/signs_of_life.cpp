#include "adapters/redis/waiting_room/signs_of_life.h"

#include <algorithm>

#include "domain/waiting_room/poll_pacing.h"

namespace maejin::redis {
namespace {

constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint16_t kTenthsMask = (1U << 12) - 1;

std::uint16_t Tenths(Millis interval) { return static_cast<std::uint16_t>((interval.count() + 99) / 100); }

}  // namespace

SignsOfLife::Seen& SignsOfLife::At(PlaceNumber number) {
  auto& block = blocks_[number / kPerBlock];
  if (!block) block = std::make_unique<Block>();
  return (*block)[number % kPerBlock];
}

void SignsOfLife::RecordPoll(PlaceNumber number, std::string_view user, Time now, Millis interval) {
  auto& seen = At(number);
  const auto tenths = Tenths(interval);
  const bool sooner = seen.tenths == 0 || tenths < seen.tenths;
  if (sooner) {
    const Time absent_at = now + pacing::kMissedPolls * interval;
    sooner_[std::chrono::floor<Seconds>(absent_at)].emplace_back(user);
  }
  if (!seen.pending || sooner) {
    const auto last = TimeFromMillis(static_cast<std::int64_t>(seen.at_ms));
    const auto write_at = sooner ? now : std::max<Time>(now, last + interval);
    pending_[ToMillis(write_at) / 1000].push_back(number);
    seen.pending = 1;
  }
  seen.at_ms = static_cast<std::uint64_t>(ToMillis(now)) & kTimeMask;
  seen.tenths = tenths & kTenthsMask;
}

void SignsOfLife::RecordWrittenPoll(PlaceNumber number, Time now, Millis interval) {
  auto& seen = At(number);
  seen.at_ms = static_cast<std::uint64_t>(ToMillis(now)) & kTimeMask;
  seen.tenths = Tenths(interval) & kTenthsMask;
}

SignsOfLife::Batch SignsOfLife::Take(Time now) {
  Batch batch;
  batch.sooner.swap(sooner_);
  while (!pending_.empty() && pending_.begin()->first <= ToMillis(now) / 1000) {
    for (const auto number : pending_.begin()->second) {
      auto& seen = At(number);
      if (!seen.pending) continue;  // already taken from an earlier list
      seen.pending = 0;
      batch.signs.push_back({number, static_cast<std::int64_t>(seen.at_ms * 1024 + seen.tenths)});
    }
    pending_.erase(pending_.begin());
  }
  std::sort(batch.signs.begin(), batch.signs.end(), [](auto& a, auto& b) { return a.number < b.number; });
  return batch;
}

void SignsOfLife::Return(Batch batch, Time now) {
  for (const auto& sign : batch.signs) {
    auto& seen = At(sign.number);
    if (!seen.pending) pending_[ToMillis(now) / 1000].push_back(sign.number);
    seen.pending = 1;
  }
  for (auto& [look_at, returned] : batch.sooner) {
    auto& users = sooner_[look_at];
    users.insert(users.end(), returned.begin(), returned.end());
  }
}

void SignsOfLife::Forget(Time before) {
  const auto before_ms = static_cast<std::uint64_t>(ToMillis(before));
  std::erase_if(blocks_, [&](const auto& entry) {
    const auto& block = *entry.second;
    return std::all_of(block.begin(), block.end(),
                       [&](const Seen& seen) { return !seen.pending && seen.at_ms < before_ms; });
  });
}

}  // namespace maejin::redis
