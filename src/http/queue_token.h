// The queue token of a request.
#pragma once

#include <string>

#include "server/request.h"

namespace maejin::http {

// The header X-Queue-Token, or else `token` in the query; empty: the request has no token.
inline std::string QueueTokenIn(const Request& request) {
  const auto header = request.Header("X-Queue-Token");
  if (!header.empty()) return std::string(header);
  return request.Query("token").value_or("");
}

}  // namespace maejin::http
