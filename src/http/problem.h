// Refusals as RFC 9457 problems: the one exit for everything that is refused.
#pragma once

#include <vector>

#include "domain/refusal.h"
#include "http/server/request.h"
#include "http/server/response.h"

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
// How many kinds of refusals there are.
std::size_t RefusalCount();

// What only the server itself refuses: bytes that are no request it can answer, and its own failures.
enum class ServerProblem : std::uint8_t {
  kMalformedRequest,     // 400
  kRequestTimeout,       // 408
  kInterrupted,          // 409: it stopped while the first request with this Idempotency-Key ran
  kUriTooLong,           // 414
  kExpectationFailed,    // 417
  kHeadersTooLarge,      // 431
  kInternalError,        // 500
  kNotImplemented,       // 501
  kVersionNotSupported,  // 505
};
void WriteProblem(ServerProblem problem, Language language, Response& response);

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
