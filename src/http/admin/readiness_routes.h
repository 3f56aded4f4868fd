// GET /api/v1/admin/readiness: the checks of `maejin doctor`, made by the server; ?sale= adds the checks of
// one concert.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "domain/finding.h"
#include "domain/words.h"
#include "server/router.h"

namespace maejin::http {

struct ReadinessRoutes {
  std::function<Task<Outcome<std::vector<Finding>>>(std::optional<ConcertId>)> examine;
  // What a check means, by its name.
  std::string_view (*meaning)(std::string_view about);
};

void AddReadinessRoutes(Router& router, ReadinessRoutes deps);

}  // namespace maejin::http
