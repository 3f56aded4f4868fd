// Checks of a request before its handler runs, and the answer after a handler threw.
#pragma once

#include <exception>
#include <optional>
#include <vector>

#include "server/connection_limits.h"
#include "server/exchange.h"
#include "server/keyed_counts.h"
#include "server/shared.h"

namespace maejin::http {

// The refusal of a request without access to its route; absent: the request has access. On admin routes it
// also sets request.actor.
std::optional<Refused> CheckAccess(Shared& shared, const Route& route, Request& request,
                                   std::chrono::steady_clock::time_point now);
// Whether a request may use the connection. A reserved connection serves only some routes, and privileged
// clients. Precondition: CheckAccess() did not refuse the request.
bool MayServe(const Shared& shared, const ConnectionSlot& slot, const Route& route, const Request& request);
// Counts a stream under its token, its user and its Authorization header. False: one of the three is at its
// limit.
bool CountStream(Shared& shared, const Request& request, std::vector<KeyedCount>& counts);
// Logs the whole exception; the response says as little as possible.
void AnswerWithError(const ProblemWriter& problems, Exchange& exchange, std::exception_ptr thrown);

}  // namespace maejin::http
