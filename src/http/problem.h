// Refusals as RFC 9457 problems: the one exit for everything that is refused.
#pragma once

#include "domain/refusal.h"
#include "http/server/request.h"
#include "http/server/response.h"

namespace maejin::http {

// Status, headers (Retry-After, WWW-Authenticate, Allow) and an application/problem+json body with `type`, `title`,
// `status`, `code`, `detail` in the request's language, `field` for invalid fields, `mayReturn` for sold-out.
void WriteProblem(const Refused& refused, const Request& request, Response& response);

int StatusOf(Refusal refusal);

}  // namespace maejin::http
