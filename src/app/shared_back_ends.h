// Many nodes, no state of their own: bookings in MariaDB or MySQL, the authority; waiting rooms and boards in Redis, which
// may be lost and is made again from there.
#pragma once

#include <memory>

#include "app/back_ends.h"
#include "base/metrics.h"
#include "config/config.h"

namespace maejin::app {

// Connects, brings the schema up to date and loads. Precondition: config.mysql and config.redis. The metrics outlive the
// result. Throws a sentence for the operator.
std::unique_ptr<BackEnds> MakeSharedBackEnds(const config::Config& config, Metrics& metrics);

}  // namespace maejin::app
