// Adds routes of operators.
#pragma once

#include <utility>

#include "server/router.h"

namespace maejin::http {

// The route needs an admin key. It is served even while the server is overloaded: operators must be able to
// act then.
inline void AddOperatorRoute(Router& router, Method method, const char* pattern, Handler handler) {
  router.Add({.method = method,
              .pattern = pattern,
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = std::move(handler)});
}

}  // namespace maejin::http
