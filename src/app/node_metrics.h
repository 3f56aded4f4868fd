// Metrics of the node itself, for alerts: its readiness checks, its clock, its disk, its start and version.
#pragma once

#include <filesystem>
#include <vector>

#include "base/metrics.h"
#include "http/admin/health_routes.h"

namespace maejin::app {

// Registers the metrics of the node. The checks are called at every scrape.
void AddNodeMetrics(Metrics& metrics, const std::filesystem::path& data,
                    std::vector<http::ReadinessCheck> checks);

}  // namespace maejin::app
