// The characters of header fields (RFC 9110, 5).
#pragma once

#include <string_view>

#include "base/ascii.h"

namespace maejin::http {

// tchar: methods and the names of fields.
constexpr bool IsTokenCharacter(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return IsLetterOrDigit(c) || kMarks.find(c) != std::string_view::npos;
}
// field-content: visible, space, tab, obs-text; no other control character.
constexpr bool IsFieldCharacter(char c) { return !IsControl(c) || c == '\t'; }

}  // namespace maejin::http
