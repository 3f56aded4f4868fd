// Reads the names of enumerations. Such an enumeration has a function Name() with a name for every
// enumerator, and a function Last() that returns the last one; the first is 0.
#pragma once

#include <optional>
#include <string_view>

namespace maejin {

// Absent: no enumerator has this name.
template <class Word>
std::optional<Word> ParseName(std::string_view name) {
  for (auto i = 0; i <= static_cast<int>(Last(Word{})); ++i) {
    if (Name(static_cast<Word>(i)) == name) return static_cast<Word>(i);
  }
  return {};
}

}  // namespace maejin
