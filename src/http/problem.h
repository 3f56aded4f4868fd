// Writes refusals as RFC 9457 problems. All refusals leave the server through here.
#pragma once

#include <vector>

#include "http/problem_texts.h"
#include "server/problem_writer.h"

namespace maejin::http {

// Status, headers (Retry-After, RateLimit-Policy, RateLimit, WWW-Authenticate, Allow) and an
// application/problem+json body with `type`, `title`, `status`, `code`, `detail` in the request's language,
// `field` for invalid fields, `mayReturn` for sold-out, `seat` for refusals of one seat, `waitUrl` for a
// required wait.
void WriteProblem(const Refused& refused, const Request& request, Response& response);

// One of several errors in a long body.
struct RefusedLine {
  std::int64_t line = 0;
  Refused refused;
};
// Writes the problem of the first error, with `errors:[{line, code, field?, detail}]` of all. Precondition:
// not empty.
void WriteProblem(const std::vector<RefusedLine>& lines, const Request& request, Response& response);

int StatusOf(Refusal refusal);
// The field of a kInvalidField: "seats: must be 1…100000" → "seats".
std::string_view FieldOf(const Refused& refused);

void WriteProblem(ServerProblem problem, Language language, Response& response);

// The functions above, as the server calls them.
const ProblemWriter& Problems();

}  // namespace maejin::http
