#include "domain/ranking/progress_board.h"

#include <algorithm>

namespace maejin {
namespace {

bool Before(const ProgressBoard::Entry& a, const ProgressBoard::Entry& b) {
  return a.reserved != b.reserved ? a.reserved > b.reserved : a.member < b.member;
}

}  // namespace

std::size_t ProgressBoard::IndexOf(const Entry& entry) const {
  return static_cast<std::size_t>(std::lower_bound(entries_.begin(), entries_.end(), entry, Before) -
                                  entries_.begin());
}

void ProgressBoard::Change(std::int64_t member, std::int64_t seats) {
  auto& count = counts_[member];
  const Entry from{member, count};
  const Entry to{member, count += seats};
  if (to.reserved == 0) counts_.erase(member);
  Move(from, to);
}

void ProgressBoard::Move(const Entry& from, const Entry& to) {
  const bool was = from.reserved > 0;
  const bool is = to.reserved > 0;
  const auto begin = entries_.begin();
  const auto from_it = begin + static_cast<std::ptrdiff_t>(was ? IndexOf(from) : entries_.size());
  const auto to_it = begin + static_cast<std::ptrdiff_t>(is ? IndexOf(to) : entries_.size());
  if (was && is) {
    // Only the entries between the old and the new index move.
    if (to_it <= from_it) {
      std::rotate(to_it, from_it, from_it + 1);
      *to_it = to;
    } else {
      std::rotate(from_it, from_it + 1, to_it);
      *(to_it - 1) = to;
    }
  } else if (was) {
    entries_.erase(from_it);
  } else if (is) {
    entries_.insert(to_it, to);
  }
}

std::optional<std::size_t> ProgressBoard::RankOf(std::int64_t member) const {
  const auto found = counts_.find(member);
  if (found == counts_.end() || found->second <= 0) return {};
  return IndexOf({member, found->second});
}

}  // namespace maejin
