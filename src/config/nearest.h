// "Did you mean …?": the right word nearest to a misspelt one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace maejin::config {

// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
std::size_t EditDistance(std::string_view from, std::string_view to);

// The word of `right` nearest to `wrong`; absent where none is near enough to be meant.
std::optional<std::string> Nearest(std::string_view wrong, std::span<const std::string> right);

// " Did you mean --listen?", or nothing.
std::string DidYouMean(std::string_view wrong, std::span<const std::string> right);

}  // namespace maejin::config
