// Finds the pass in a request of a site's visitor.
#pragma once

#include <string>
#include <string_view>

#include "server/request.h"

namespace maejin::http {

inline constexpr std::string_view kSecurePrefix = "__Host-";

// The name of the site's cookie, without the prefix.
std::string SiteCookie(std::string_view room);

// The pass in X-Maejin-Pass, or in the site's cookie; empty: none. The view is valid as long as the request.
// Allocates nothing if the header has the pass.
std::string_view SitePassIn(const Request& request, std::string_view room);

}  // namespace maejin::http
