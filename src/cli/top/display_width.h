// How much room a text takes on a terminal: a Hangul syllable or a Han character takes two columns, an accent none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace maejin::cli {

// `text` as a terminal may be given it, whoever wrote it: what would move the cursor, ring the bell or turn the
// direction of the line, and bytes that are no UTF-8, become "?".
std::string Printable(std::string_view text);

// The columns of a printable text.
std::size_t DisplayWidth(std::string_view text);

// At most `columns` wide; what is longer ends with "…". Never half a character.
std::string CutTo(std::string_view text, std::size_t columns);

// Exactly `columns` wide: cut, or filled with blanks on the right or on the left.
std::string FilledRight(std::string_view text, std::size_t columns);
std::string FilledLeft(std::string_view text, std::size_t columns);

}  // namespace maejin::cli
