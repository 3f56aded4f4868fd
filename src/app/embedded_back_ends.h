// The default back end: everything in the data folder. With --redis the waiting rooms and boards are on
// Redis.
#pragma once

#include <memory>

#include "adapters/embedded/data_folder.h"
#include "app/back_ends.h"
#include "base/metrics.h"
#include "config/config.h"

namespace maejin::app {

// Loads the folder; folder and metrics outlive the result. Throws std::runtime_error with a sentence for the
// operator.
std::unique_ptr<BackEnds> MakeEmbeddedBackEnds(const embedded::DataFolder& folder,
                                               const config::Config& config, Metrics& metrics);

}  // namespace maejin::app
