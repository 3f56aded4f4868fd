#include "adapters/mysql/change_notices.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace maejin::mysql {
namespace {

constexpr Seconds kNoticeInterval{1};
constexpr std::size_t kMaxSchedules = 10'000;

}  // namespace

std::optional<std::string> ChangeNotices::TextOf(const MirrorChanges& changes) {
  std::set<ScheduleId> announced;
  if (changes.concert) announced.insert(0);
  for (const auto& sold_out : changes.sold_outs) announced.insert(sold_out.schedule);
  if (!changes.sold_outs.empty()) announced.insert(0);
  const auto now = std::chrono::steady_clock::now();
  const auto announce = [&](ScheduleId schedule) {
    auto& last = noticed_at_[schedule];
    if (now - last < kNoticeInterval && !announced.contains(schedule)) return;
    last = now;
    announced.insert(schedule);
  };
  const std::lock_guard lock(mutex_);
  if (noticed_at_.size() > kMaxSchedules) noticed_at_.clear();
  for (const auto& moved : changes.moved) announce(moved.schedule);
  for (const auto& snapshot : changes.snapshots) announce(snapshot.schedule);
  if (announced.empty()) return {};
  return fmt::format("{}", fmt::join(announced, " "));
}

}  // namespace maejin::mysql
