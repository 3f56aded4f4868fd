// Korean or English, by Accept-Language (RFC 9110, 12.5.4). English if the header names neither.
#pragma once

#include <string_view>

#include "server/request.h"

namespace maejin::http {

Language PreferredLanguage(std::string_view accept_language);

}  // namespace maejin::http
