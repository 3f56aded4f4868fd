// An operator shows the maintenance page to fans, and ends it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "store/emergency_store.h"

namespace maejin {

// Thread-safe.
class ManageMaintenance {
 public:
  // Both outlive it.
  ManageMaintenance(EmergencyStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Never waits. Absent: fans are served.
  std::optional<Time> Since() const { return store_.MaintenanceAtOnce(); }
  // Writes an audit row, unless maintenance is already as `on` says. Refuses: kUnavailable.
  Task<Outcome<Done>> Set(bool on, std::string actor) {
    Operator acting_operator{std::move(actor), clock_.Now()};
    const auto set = co_await store_.SetMaintenance(on, std::move(acting_operator));
    if (!set.ok()) co_return set.error();
    co_return Done{};
  }

 private:
  EmergencyStore& store_;
  const Clock& clock_;
};

}  // namespace maejin
