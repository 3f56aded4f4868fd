#include "cli/routes.h"

#include <cstdio>

#include <fmt/format.h>

#include "app/application.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "cli/common/temporary_folder.h"

namespace maejin::cli {
namespace {

std::string AsJson(const http::Router& router) {
  std::string out;
  JsonWriter json(out);
  json.Array([&] {
    for (const auto& route : router.routes()) {
      json.Object([&] {
        json.Field("method", Name(route->method));
        json.Field("path", route->pattern);
        const bool admin = route->access == http::Access::kAdmin;
        json.Field("admin", admin);
        json.Field("leastRole", admin ? Name(route->least_role) : "");
      });
    }
  });
  return out + '\n';
}

std::string AsText(const http::Router& router) {
  std::string out;
  for (const auto& route : router.routes()) {
    out += fmt::format(
        "{:<7} {}{}\n", Name(route->method), route->pattern,
        route->access == http::Access::kAdmin ? fmt::format("  ({})", Name(route->least_role)) : "");
  }
  return out;
}

}  // namespace

int RunRoutes(const Invocation& invocation) {
  // The composition root builds the route table, so start the whole program on a temporary folder.
  const TemporaryFolder folder("maejin-routes");
  auto settings = invocation.settings;
  settings["data"].value = folder.path().string();
  settings["listen"].value = "127.0.0.1:0";
  const auto config = config::MakeConfig(settings);
  if (!config) return kExitUsage;
  SetLogLevel(LogLevel::kWarning);
  const auto application = app::Application::Start(*config);
  if (!application) {
    std::fputs(fmt::format("maejin: {}\n", application.error()).c_str(), stderr);
    return kExitError;
  }
  const auto& router = (*application)->router();
  std::fputs((invocation.json ? AsJson(router) : AsText(router)).c_str(), stdout);
  (*application)->Drain();
  return kExitDone;
}

}  // namespace maejin::cli
