// Reads cookies (RFC 6265, 5.4).
#pragma once

#include <string_view>

namespace maejin::http {

// The value of the first cookie of that name in a Cookie header; empty where there is none.
std::string_view FindCookie(std::string_view header, std::string_view name);

}  // namespace maejin::http
