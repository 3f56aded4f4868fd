// Checks of a request before its handler runs, and the answer after a handler threw.
#pragma once

#include <exception>
#include <optional>
#include <vector>

#include "server/connection_limits.h"
#include "server/exchange.h"
#include "server/keyed_counts.h"
#include "server/listener_options.h"
#include "server/shared.h"

namespace maejin::http {

// Checks a request with a route: its listener, its access, the reserve of connections, and the load. Absent:
// the request may be served. Counts refusals. On admin routes it also sets the request's actor.
std::optional<Refused> FindRefusal(Shared& shared, const ListenerOptions& listener,
                                   const ConnectionSlot& slot, Exchange& exchange,
                                   std::chrono::steady_clock::time_point now);
// Counts a stream under its token, its user and its Authorization header. False: one of the three is at its
// limit.
bool CountStream(Shared& shared, const Request& request, std::vector<KeyedCount>& counts);
// The refusals of a request from an address with too many connections, and of a client with too many streams.
Refused TooManyOfAddress(const Shared& shared);
Refused TooManyStreams(const Shared& shared);
// Adds the header Age to a successful answer from an old copy.
void AddAge(const Shared& shared, Response& response);
// Logs the whole exception; the response says as little as possible.
void AnswerWithError(const ProblemWriter& problems, Exchange& exchange, std::exception_ptr thrown);

}  // namespace maejin::http
