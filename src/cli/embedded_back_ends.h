// Everything in the data folder: the default. With --redis the waiting rooms lie there instead.
#pragma once

#include <memory>

#include "adapters/embedded/data_folder.h"
#include "base/metrics.h"
#include "cli/back_ends.h"
#include "cli/config.h"

namespace maejin::cli {

// Loads the folder; folder and metrics outlive the result. Throws a sentence for the operator.
std::unique_ptr<BackEnds> MakeEmbeddedBackEnds(const embedded::DataFolder& folder, const Config& config,
                                               Metrics& metrics);

}  // namespace maejin::cli
