// Takes texts apart at a mark.
#pragma once

#include <algorithm>
#include <string_view>

namespace maejin {

// Removes the text before the next `mark`, or the whole text, and returns it; the mark is dropped.
inline std::string_view TakeUntil(std::string_view& text, char mark) {
  const auto taken = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

}  // namespace maejin
