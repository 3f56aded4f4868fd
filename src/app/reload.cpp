#include "app/reload.h"

#include <algorithm>
#include <array>

namespace maejin::app {
namespace {

constexpr std::array<std::string_view, 17> kReloadable = {
    "http.body-limit-bytes",
    "http.connections",
    "http.connections-per-address",
    "http.cors-origins",
    "http.drain-seconds",
    "http.header-deadline-seconds",
    "http.header-limit-bytes",
    "http.idle-deadline-seconds",
    "http.least-read-bytes-per-second",
    "http.owed-bytes",
    "http.owed-bytes-per-address",
    "http.owed-bytes-per-connection",
    "http.reserved-connections",
    "http.streams-per-client",
    "http.trusted-proxies",
    "log.format",
    "log.level",
};

}  // namespace

Application::ReloadReport CompareSettings(const config::Settings& running, const config::Settings& fresh) {
  Application::ReloadReport report;
  for (const auto& [name, setting] : fresh) {
    const auto before = running.find(name);
    if (before != running.end() && before->second.value == setting.value) continue;
    const bool reloadable = std::find(kReloadable.begin(), kReloadable.end(), name) != kReloadable.end();
    (reloadable ? report.changed : report.need_restart).push_back(name);
  }
  return report;
}

}  // namespace maejin::app
