// Which web pages may call the server from a browser (the Fetch standard's CORS). Off unless origins are
// configured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

class Cors {
 public:
  explicit Cors(std::vector<std::string> origins);
  bool enabled() const { return !origins_.empty(); }
  // Adds the headers without which a browser hides the response from a page of another origin.
  void AddHeaders(const Request& request, Response& response) const;
  // Whether a browser sent the request for another site's page, and the page's origin is not allowed.
  bool IsForeign(const Request& request) const;
  // Answers OPTIONS; `allow` names the methods of the request's path.
  void AnswerOptions(const Request& request, std::string_view allow, Response& response) const;

 private:
  bool Allows(std::string_view origin) const;

  std::vector<std::string> origins_;
  bool any_ = false;
};

}  // namespace maejin::http
