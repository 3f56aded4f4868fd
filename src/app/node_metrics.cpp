#include "app/node_metrics.h"

#include <chrono>
#include <string>
#include <utility>

#include <sys/statvfs.h>

namespace maejin::app {
namespace {

double SystemSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

MetricFamily Passed(const std::vector<http::ReadinessCheck>& checks) {
  MetricFamily family{
      "maejin_check_passed", "1 if the readiness check passes, otherwise 0.", MetricFamily::Type::kGauge, {}};
  for (const auto& check : checks)
    family.samples.push_back({{{"check", check.name}}, check.ready() ? 1.0 : 0.0});
  return family;
}

}  // namespace

void AddNodeMetrics(Metrics& metrics, const std::filesystem::path& data,
                    std::vector<http::ReadinessCheck> checks) {
  metrics.AddFamiliesOf([checks = std::move(checks)] { return std::vector<MetricFamily>{Passed(checks)}; });
  metrics.AddGaugeOf("maejin_time_seconds", "The node's clock, in seconds since 1970.", SystemSeconds);
  metrics.AddGaugeOf("maejin_start_time_seconds", "When the node started, in seconds since 1970.",
                     [started = SystemSeconds()] { return started; });
  metrics.AddGaugeOf("maejin_data_free_bytes", "Free bytes of the disk with the data folder.", [data] {
    struct statvfs disk{};
    if (statvfs(data.c_str(), &disk) != 0) return 0.0;
    return static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  });
  metrics.AddGaugeOf("maejin_build_info", "Always 1; the label is the version.", [] { return 1.0; },
                     {{"version", MAEJIN_VERSION}});
}

}  // namespace maejin::app
