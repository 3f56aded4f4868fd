#include "app/await_database.h"

#include "adapters/mysql/connection.h"
#include "http/admin/health_routes.h"
#include "http/problem.h"
#include "server/server.h"

namespace maejin::app {
namespace {

Task<Outcome<Done>> Refuse(const http::Request&, http::Response&) {
  co_return Refused{Refusal::kUnavailable, "the server waits for its database"};
}

class Waiting final : public WaitingServer {
 public:
  explicit Waiting(const config::Config& config)
      : router_(MakeRouter()), server_(*router_, Options(config), Parts()) {}
  ~Waiting() override {
    server_.Stop();
    server_.Wait();
  }

  Result<http::BoundAddress, std::string> Listen(const std::string& address) {
    auto bound = server_.Listen(address);
    if (bound) server_.Start();
    return bound;
  }

 private:
  static http::ServerOptions Options(const config::Config& config) {
    http::ServerOptions options;
    options.threads = 1;
    options.trusted_proxies = config.http.trusted_proxies;
    return options;
  }
  static http::ServerDependencies Parts() {
    return {.admin_key = http::AdminKey(), .problems = http::Problems()};
  }
  static std::unique_ptr<http::Router> MakeRouter() {
    auto router = std::make_unique<http::Router>();
    http::AddHealthRoutes(*router, {.checks = {{"database", [] { return false; }}}});
    router->AddFallback({.pattern = "*", .priority = http::Priority::kAlways, .handler = Refuse});
    return router;
  }

  const std::unique_ptr<http::Router> router_;
  http::Server server_;
};

}  // namespace

std::optional<std::string> DatabaseOutage(const mysql::ServerOptions& server) {
  try {
    mysql::Connection connection(server);
    return std::nullopt;
  } catch (const mysql::MysqlError& error) {
    if (error.IsLost()) return error.what();
    return std::nullopt;
  }
}

Result<std::unique_ptr<WaitingServer>, std::string> WaitingServer::Start(const config::Config& config) {
  auto waiting = std::make_unique<Waiting>(config);
  const auto bound = waiting->Listen(config.listen.ToString());
  if (!bound) return bound.error();
  return std::unique_ptr<WaitingServer>(std::move(waiting));
}

}  // namespace maejin::app
