// The server's own state for the operators' console: audit log, version, configuration.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "server/router.h"
#include "usecase/read_audit.h"

namespace maejin::http {

struct ShownSetting {
  std::string name;
  std::string value;  // secrets already hidden
  std::string origin;
};

struct SystemRoutes {
  ReadAudit audit;
  std::string version;
  Time started_at{};
  // "bookings" → "embedded (SQLite)".
  std::vector<std::pair<std::string, std::string>> back_ends;
  // The settings in force; a reload changes them. Thread-safe.
  std::function<std::vector<ShownSetting>()> settings;
};

// GET /api/v1/admin/audit?before=&limit= and GET /api/v1/admin/system, both behind the admin key.
void AddSystemRoutes(Router& router, SystemRoutes deps);

}  // namespace maejin::http
