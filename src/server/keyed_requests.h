// Requests with an Idempotency-Key: the server hands them over instead of calling the route's handler itself.
#pragma once

#include "server/router.h"

namespace maejin::http {

// Thread-safe.
class KeyedRequests {
 public:
  // Runs the handler of `route` at most once per key, or repeats its first answer. `request` and `response` live
  // until the task ends.
  virtual Task<Outcome<Done>> Run(const Route& route, const Request& request, Response& response) = 0;

 protected:
  ~KeyedRequests() = default;
};

}  // namespace maejin::http
