// doctor's check of the age of scheduled backups.
#pragma once

#include "base/time.h"
#include "cli/doctor_sale.h"
#include "config/config.h"

namespace maejin::cli {

// A warning if the newest backup is older than two intervals.
Finding CheckBackup(const config::Config& config, Time now);

}  // namespace maejin::cli
