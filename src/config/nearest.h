// "Did you mean …?": finds the known word nearest to a misspelt one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace maejin::config {

// The number of insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t EditDistance(std::string_view from, std::string_view to);

// The word of `right` nearest to `wrong`; absent if none is near.
std::optional<std::string> Nearest(std::string_view wrong, std::span<const std::string> right);

// " Did you mean --listen?", or nothing.
std::string DidYouMean(std::string_view wrong, std::span<const std::string> right);

}  // namespace maejin::config
