// Well-formed UTF-8 (Unicode 15, table 3-7).
#pragma once

#include <cstddef>
#include <string_view>

namespace maejin {

// Length of the well-formed sequence at the front of `text` (not empty), 0 if there is none.
std::size_t Utf8SequenceLength(std::string_view text);
bool IsUtf8(std::string_view text);
// Code points of a well-formed text.
std::size_t CharactersIn(std::string_view text);

}  // namespace maejin
