// The links that `serve` and `demo` print when the server accepts connections.
#pragma once

#include <string>

#include "config/config.h"

namespace maejin::cli {

// The URLs of the pages and the file of the admin key, one text line each. `url`: the server's own. The
// console's link has `admin-listen`, if that is set: its API is only there.
std::string LinkLines(const std::string& url, const config::Config& config);

}  // namespace maejin::cli
