#include "cli/operator_server.h"

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "cli/admin_client.h"

namespace maejin::cli {
namespace {

// What a problem says, for people: its detail, and its code.
std::string Sentence(const HttpAnswer& answer) {
  boost::json::error_code error;
  const auto body = boost::json::parse(answer.body, error);
  const auto* problem = error ? nullptr : body.if_object();
  const auto text = [&](const char* name) -> std::string {
    const auto* value = problem ? problem->if_contains(name) : nullptr;
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  if (const auto detail = text("detail"); !detail.empty())
    return fmt::format("{} ({})", detail, text("code"));
  return fmt::format("the server answered {}", answer.status);
}

}  // namespace

Result<OperatorServer, std::string> OperatorServer::Reach(const Config& config) {
  std::unique_ptr<Application> own;
  auto url = RunningServer(config);
  if (!url) {
    auto private_config = config;
    private_config.listen = {"127.0.0.1", 0};
    auto started = Application::Start(private_config, embedded::Missing::kRefuse);
    if (!started) return started.error();
    own = std::move(*started);
    url = own->url();
  }
  auto client = AdminClient(*url, config);
  if (!client) return client.error();
  client->SetTimeout(Seconds{600});
  return OperatorServer(std::move(own), std::move(*client));
}

Result<HttpAnswer, OperatorError> OperatorServer::GoodAnswer(Result<HttpAnswer, std::string> answer) {
  if (!answer) return OperatorError{answer.error()};
  if (answer->status >= 300) return OperatorError{Sentence(*answer), answer->status};
  return *std::move(answer);
}

}  // namespace maejin::cli
