#include "cli/common/operator_server.h"

#include <fmt/format.h>

#include "cli/common/admin_client.h"
#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

// The detail and code of a problem answer.
std::string ProblemSentence(const HttpAnswer& answer) {
  const auto problem = ObjectIn(answer.body).value_or(boost::json::object());
  if (const auto detail = TextOf(problem, "detail"); !detail.empty())
    return fmt::format("{} ({})", detail, TextOf(problem, "code"));
  return fmt::format("the server answered {}", answer.status);
}

}  // namespace

Result<OperatorServer, std::string> OperatorServer::Reach(const config::Config& config) {
  std::unique_ptr<app::Application> own;
  auto url = RunningServer(config);
  if (!url) {
    auto private_config = config;
    private_config.listen = {"127.0.0.1", 0};
    auto started =
        app::Application::Start(private_config, {.missing = embedded::Missing::kRefuse, .socket = {}});
    if (!started) return started.error();
    own = std::move(*started);
    url = own->url();
  }
  auto client = AdminClient(*url, config);
  if (!client) return client.error();
  client->SetTimeout(Seconds{600});
  return OperatorServer(std::move(own), std::move(*client));
}

Result<HttpAnswer, OperatorError> OperatorServer::CheckStatus(Result<HttpAnswer, std::string> answer) {
  if (!answer) return OperatorError{answer.error()};
  if (answer->status >= 300) return OperatorError{ProblemSentence(*answer), answer->status};
  return *std::move(answer);
}

}  // namespace maejin::cli
