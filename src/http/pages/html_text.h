// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace maejin::http {

// As text or as a quoted attribute.
std::string EscapeHtml(std::string_view text);

}  // namespace maejin::http
