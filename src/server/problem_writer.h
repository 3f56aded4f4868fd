// The texts of refusals. The server decides that a request is refused; the program around it supplies status,
// headers and sentences, so the server knows nothing of what the program sells.
#pragma once

#include <cstdint>

#include "domain/refusal.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// Problems that are no Refusal of domain/refusal.h: the received bytes are no request that the server can
// answer, or the server failed or stopped.
enum class ServerProblem : std::uint8_t {
  kMalformedRequest,     // 400
  kRequestTimeout,       // 408
  kInterrupted,          // 409: the server stopped while the first request with this Idempotency-Key ran
  kUriTooLong,           // 414
  kExpectationFailed,    // 417
  kHeadersTooLarge,      // 431
  kInternalError,        // 500
  kNotImplemented,       // 501
  kVersionNotSupported,  // 505
};

// Thread-safe. Writes the whole response: status, headers and body.
class ProblemWriter {
 public:
  virtual void Write(const Refused& refused, const Request& request, Response& response) const = 0;
  virtual void Write(ServerProblem problem, Language language, Response& response) const = 0;

 protected:
  ~ProblemWriter() = default;
};

}  // namespace maejin::http
