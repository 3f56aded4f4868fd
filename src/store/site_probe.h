// The port that asks a site for its health. Thread-safe.
#pragma once

#include <string>

#include "base/task.h"
#include "domain/refusal.h"
#include "domain/waiting_room/floating.h"

namespace maejin {

class SiteProbe {
 public:
  virtual ~SiteProbe() = default;
  // One GET, without redirects. The address is checked when the connection is made.
  virtual Task<ProbeAnswer> Get(std::string url) = 0;
  // Refuses kTargetRefused if the host of the URL has an address that must not be connected to; a host that
  // cannot be resolved now is accepted. Refuses: kInvalidField.
  virtual Task<Outcome<Done>> CheckTarget(std::string url) = 0;
};

}  // namespace maejin
