// The answers of fans' addresses during maintenance: a page, or a problem for scripts, both with status 503.
#pragma once

#include <memory>

#include "http/pages/page_library.h"
#include "server/router.h"

namespace maejin::http {

// Thread-safe.
class MaintenancePage {
 public:
  explicit MaintenancePage(std::shared_ptr<const PageLibrary> library) : library_(std::move(library)) {}

  // Operators, health checks, payment callbacks, and polls go on: a fan in line keeps its place.
  static bool Serves(const Route& route);
  void Answer(const Request& request, Response& response) const;

 private:
  std::shared_ptr<const PageLibrary> library_;
};

}  // namespace maejin::http
