// What fans get during maintenance: a page, or a problem for scripts, both with status 503.
#pragma once

#include <memory>

#include "http/pages/page_library.h"
#include "server/router.h"

namespace maejin::http {

// Thread-safe.
class MaintenancePage {
 public:
  explicit MaintenancePage(std::shared_ptr<const PageLibrary> library) : library_(std::move(library)) {}

  // Whether the route works during maintenance. Routes of operators, health checks, payment callbacks and
  // polls do. A fan in line keeps its place by polling. The gate works too, and sends every visitor to /wait.
  static bool Serves(const Route& route);
  void Answer(const Request& request, Response& response) const;

 private:
  std::shared_ptr<const PageLibrary> library_;
};

}  // namespace maejin::http
