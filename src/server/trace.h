// The ids by which several services name the same request: X-Request-Id, and traceparent of W3C Trace
// Context.
#pragma once

#include <string_view>

#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// The text, if it is an id of 1…128 letters, digits and "-_.:/+=@"; else empty.
std::string_view RequestId(std::string_view text);
// The text, if it is a traceparent of version 00; else empty.
std::string_view TraceParent(std::string_view text);
// Adds X-Request-Id to the response, and traceparent if the request has one.
void AddTrace(const Request& request, Response& response);

}  // namespace maejin::http
