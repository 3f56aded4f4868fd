// The address whose joins count towards a room's joinsPerAddressPerMinute.
#pragma once

#include <string>
#include <string_view>

#include "server/request.h"

namespace maejin::http {

inline bool IsLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

// Empty: the join is not counted, because the client is a program on this machine. A loopback connection with
// a forwarding header is counted, unless it is a trusted proxy: it may be a proxy that http.trusted-proxies
// lacks.
inline std::string CountedAddress(const Request& request) {
  const bool forwards = !request.through_trusted_proxy &&
                        (!request.Header("X-Forwarded-For").empty() || !request.Header("Forwarded").empty());
  if (IsLoopback(request.client) && !forwards) return {};
  return std::string(request.client);
}

}  // namespace maejin::http
