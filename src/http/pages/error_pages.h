// Refusals as pages: a browser that opens a page, not the API, gets a page with the reason instead of a
// problem.
#pragma once

#include <memory>

#include "http/pages/page_library.h"
#include "server/problem_writer.h"

namespace maejin::http {

// Thread-safe.
class ErrorPages final : public ProblemWriter {
 public:
  explicit ErrorPages(std::shared_ptr<const PageLibrary> library) : library_(std::move(library)) {}

  void Write(const Refused& refused, const Request& request, Response& response) const override;
  void Write(ServerProblem problem, Language language, Response& response) const override;

 private:
  std::shared_ptr<const PageLibrary> library_;
};

}  // namespace maejin::http
