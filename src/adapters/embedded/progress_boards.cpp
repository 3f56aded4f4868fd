#include "adapters/embedded/progress_boards.h"

#include <algorithm>
#include <set>

namespace maejin::embedded {

std::int64_t MemberOf(Date date) { return std::chrono::sys_days{date}.time_since_epoch().count(); }

Date DateOfMember(std::int64_t member) { return Date{std::chrono::sys_days{std::chrono::days{member}}}; }

bool ProgressBoards::IsKept(const BoardWindow& board) const {
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, zone_);
  return !expiry || *expiry > now_;
}

void ProgressBoards::Change(const ProgressChanged& change) {
  dates_[change.schedule] = change.concert_date;
  const auto day = zone_.LocalDay(change.held_at);
  for (const auto& board : Boards()) {
    if (board.source != BoardSource::kProgress) continue;
    const BoardWindow window{board.id, WindowOf(board.window, day)};
    auto found = boards_.find(window);
    if (found == boards_.end()) {
      if (!IsKept(window)) continue;
      found = boards_.try_emplace(window).first;
    }
    const bool by_date = board.member == BoardMember::kConcertDate;
    found->second.Change(by_date ? MemberOf(change.concert_date) : change.schedule, change.seats);
  }
}

const ProgressBoard* ProgressBoards::Find(const BoardWindow& board) const {
  static const ProgressBoard kEmpty;
  if (const auto found = boards_.find(board); found != boards_.end()) return &found->second;
  return IsKept(board) ? &kEmpty : nullptr;
}

Date ProgressBoards::DateOf(ScheduleId schedule) const {
  const auto found = dates_.find(schedule);
  return found == dates_.end() ? Date{} : found->second;
}

std::int64_t ProgressBoards::DifferencesFrom(const ProgressBoards& other) const {
  std::set<BoardWindow> windows;
  for (const auto& [window, board] : boards_) windows.insert(window);
  for (const auto& [window, board] : other.boards_) windows.insert(window);
  std::int64_t differences = 0;
  for (const auto& window : windows) {
    const auto* mine = Find(window);
    const auto* theirs = other.Find(window);
    if (!mine || !theirs) continue;  // one of the two has dropped the board already
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& entry : mine->entries()) counts[entry.member] += entry.reserved;
    for (const auto& entry : theirs->entries()) counts[entry.member] -= entry.reserved;
    differences +=
        std::count_if(counts.begin(), counts.end(), [](const auto& count) { return count.second != 0; });
  }
  return differences;
}

void ProgressBoards::Tick(Time now) {
  now_ = std::max(now_, now);
  std::erase_if(boards_, [&](const auto& entry) { return !IsKept(entry.first); });
}

}  // namespace maejin::embedded
