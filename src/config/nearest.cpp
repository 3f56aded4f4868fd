#include "config/nearest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace maejin::config {

std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[to.size()];
}

std::optional<std::string> Nearest(std::string_view wrong, std::span<const std::string> right) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const auto& word : right) {
    const auto distance = EditDistance(wrong, word);
    if (distance < best_distance) {
      best = &word;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string DidYouMean(std::string_view wrong, std::span<const std::string> right) {
  const auto nearest = Nearest(wrong, right);
  return nearest ? fmt::format(" Did you mean {}?", *nearest) : std::string();
}

}  // namespace maejin::config
