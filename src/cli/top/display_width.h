// The width of a text on a terminal: a Hangul syllable or Han character takes two columns, a combining mark
// none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace maejin::cli {

// Makes untrusted text safe for a terminal: control and formatting characters and invalid UTF-8 become "?".
std::string Printable(std::string_view text);

// The columns of a printable text.
std::size_t DisplayWidth(std::string_view text);

// At most `columns` wide; a longer text is cut between characters and ends with "…".
std::string Truncate(std::string_view text, std::size_t columns);

// Exactly `columns` wide: truncated, or padded with blanks on the right or on the left.
std::string PadRight(std::string_view text, std::size_t columns);
std::string PadLeft(std::string_view text, std::size_t columns);

}  // namespace maejin::cli
