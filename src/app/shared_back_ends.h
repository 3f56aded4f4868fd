// The back end of several stateless nodes. Bookings in MariaDB or MySQL are the authority; waiting rooms and
// boards are in Redis and are rebuilt from the database when Redis loses them.
#pragma once

#include <memory>

#include "app/back_ends.h"
#include "base/metrics.h"
#include "config/config.h"

namespace maejin::app {

// Connects, migrates the schema and loads the caches. Precondition: config.mysql and config.redis. The
// metrics outlive the result. Throws std::runtime_error with a sentence for the operator.
std::unique_ptr<BackEnds> MakeSharedBackEnds(const config::Config& config, Metrics& metrics);

}  // namespace maejin::app
