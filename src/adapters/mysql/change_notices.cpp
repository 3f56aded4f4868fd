#include "adapters/mysql/change_notices.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace maejin::mysql {
namespace {

constexpr Seconds kTellEvery{1};
constexpr std::size_t kToldSchedules = 10'000;

}  // namespace

std::optional<std::string> ChangeNotices::TextOf(const MirrorChanges& changes) {
  std::set<ScheduleId> told;
  if (changes.concert) told.insert(0);
  for (const auto& sold_out : changes.sold_outs) told.insert(sold_out.schedule);
  if (!changes.sold_outs.empty()) told.insert(0);
  const auto now = std::chrono::steady_clock::now();
  const auto tell = [&](ScheduleId schedule) {
    auto& last = told_[schedule];
    if (now - last < kTellEvery && !told.contains(schedule)) return;
    last = now;
    told.insert(schedule);
  };
  const std::lock_guard lock(mutex_);
  if (told_.size() > kToldSchedules) told_.clear();
  for (const auto& moved : changes.moved) tell(moved.schedule);
  for (const auto& snapshot : changes.snapshots) tell(snapshot.schedule);
  if (told.empty()) return {};
  return fmt::format("{}", fmt::join(told, " "));
}

}  // namespace maejin::mysql
