// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace maejin::http {

// The result is safe as text and in a quoted attribute.
std::string EscapeHtml(std::string_view text);

}  // namespace maejin::http
