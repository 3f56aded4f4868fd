#include "http/pages/error_pages.h"

#include "http/problem.h"

namespace maejin::http {
namespace {

// False for paths that programs read: the API, files, and the gate, whose client is a proxy.
bool IsPageView(const Request& request) {
  const auto path = request.path;
  for (const std::string_view other : {"/api/", "/gate", "/reservations", "/assets/", "/client/"})
    if (path.starts_with(other) && path != "/gate/return") return false;
  return request.AcceptsHtml();
}

}  // namespace

void ErrorPages::Write(const Refused& refused, const Request& request, Response& response) const {
  WriteProblem(refused, request, response);
  if (!IsPageView(request)) return;
  const auto* problem = FindProblem(Code(refused.why));
  const std::vector<PageText> texts = {{"status", std::to_string(problem->status)},
                                       {"code", std::string(problem->code)},
                                       {"detail", std::string(problem->DetailIn(PageLanguage(request)))}};
  response.body.clear();
  library_->AnswerFilled(problem->status == 404 ? "error-missing.html" : "error.html", texts, request,
                         response);
}

void ErrorPages::Write(ServerProblem problem, Language language, Response& response) const {
  WriteProblem(problem, language, response);
}

}  // namespace maejin::http
