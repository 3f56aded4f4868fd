// Refusals as RFC 9457 problems: the one exit for everything that is refused.
#pragma once

#include <vector>

#include "server/problem_writer.h"

namespace maejin::http {

// Status, headers (Retry-After, WWW-Authenticate, Allow) and an application/problem+json body with `type`,
// `title`, `status`, `code`, `detail` in the request's language, `field` for invalid fields, `mayReturn` for
// sold-out, `seat` for what is wrong with one.
void WriteProblem(const Refused& refused, const Request& request, Response& response);

// One of several things that are wrong with a long body.
struct RefusedLine {
  std::int64_t line = 0;
  Refused refused;
};
// The problem of the first, with `errors:[{line, code, field?, detail}]` of all. Precondition: there is one.
void WriteProblem(const std::vector<RefusedLine>& lines, const Request& request, Response& response);

int StatusOf(Refusal refusal);
// Of kInvalidField: "seats: must be 1…100000" → "seats".
std::string_view FieldOf(const Refused& refused);

void WriteProblem(ServerProblem problem, Language language, Response& response);

// The functions above, as the server calls them.
const ProblemWriter& Problems();

// The sentences behind a `code`, for /docs/problems/{code}. Absent for an unknown code.
struct ProblemText {
  int status = 0;
  std::string_view code;
  std::string_view title_en;
  std::string_view detail_en;
  std::string_view detail_ko;
};
const ProblemText* FindProblem(std::string_view code);

}  // namespace maejin::http
