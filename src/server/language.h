// Korean or English, as Accept-Language asks (RFC 9110, 12.5.4). English where it asks for neither.
#pragma once

#include <string_view>

#include "server/request.h"

namespace maejin::http {

Language PreferredLanguage(std::string_view accept_language);

}  // namespace maejin::http
