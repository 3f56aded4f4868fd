// The random id of an anonymous visitor, in a cookie of maejin's origin.
#pragma once

#include <string>
#include <string_view>

#include "domain/words.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// Empty: the request has none.
UserId AnonymousIn(const Request& request);
// A new id, which the response sets.
UserId NewAnonymous(const Request& request, Response& response);

}  // namespace maejin::http
