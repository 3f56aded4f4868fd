// The operator that acts, for the audit log.
#pragma once

#include <string>
#include <utility>

#include "base/time.h"
#include "domain/operator_role.h"

namespace maejin {

// The acting operator and the time of the action.
struct Operator {
  Operator() = default;
  Operator(std::string actor, Time now) : name(std::move(actor)), at(now) {}
  // The operator that uses the admin key file.
  Operator(Time now) : at(now) {}  // NOLINT: a store call without a key passes the time only

  std::string name{kFileKeyActor};
  Time at{};
};

}  // namespace maejin
