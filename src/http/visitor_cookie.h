// The random id of an anonymous visitor, in a cookie of maejin's origin.
#pragma once

#include <string>
#include <string_view>

#include "domain/words.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// The id in the request's cookie. Empty: the request has no valid one.
UserId AnonymousIn(const Request& request);
// Returns a new id, and sets its cookie in `response`.
UserId NewAnonymous(const Request& request, Response& response);

}  // namespace maejin::http
