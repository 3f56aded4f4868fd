// Many nodes, no state of their own: bookings in MariaDB or MySQL, the authority; waiting rooms and boards in Redis, which
// may be lost and is made again from there.
#pragma once

#include <memory>

#include "base/metrics.h"
#include "cli/back_ends.h"
#include "cli/config.h"

namespace maejin::cli {

// Connects, brings the schema up to date and loads. Precondition: config.mysql and config.redis. The metrics outlive the
// result. Throws a sentence for the operator.
std::unique_ptr<BackEnds> MakeSharedBackEnds(const Config& config, Metrics& metrics);

}  // namespace maejin::cli
