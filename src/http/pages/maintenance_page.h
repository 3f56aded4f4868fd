// The answers of fans' addresses during maintenance: a page, or a problem for scripts, both with status 503.
#pragma once

#include <string>
#include <vector>

#include "http/pages/page_library.h"
#include "server/router.h"

namespace maejin::http {

// Thread-safe.
class MaintenancePage {
 public:
  // `frame_ancestors`: as PageLibrary().
  explicit MaintenancePage(const std::vector<std::string>& frame_ancestors) : library_(frame_ancestors) {}

  // Operators, health checks, payment callbacks, and polls go on: a fan in line keeps its place.
  static bool Serves(const Route& route);
  void Answer(const Request& request, Response& response) const;

 private:
  PageLibrary library_;
};

}  // namespace maejin::http
