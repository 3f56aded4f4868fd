#include "cli/serve.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "app/application.h"
#include "app/await_database.h"
#include "app/service_manager.h"
#include "base/log.h"
#include "base/ticker.h"
#include "cli/common/links.h"
#include "cli/common/signals.h"

namespace maejin::cli {
namespace {

constexpr Millis kAskDatabaseEvery{500};
constexpr Seconds kLogEvery{10};

enum class Awaited { kAnswers, kStopped, kFailed };

// Waits until the shared database answers; returns at once if none is configured. If `listens`, a
// WaitingServer answers meanwhile. Otherwise the service manager has the socket, and connections wait in it.
Awaited AwaitDatabase(const config::Config& config, const StopSignals& signals, bool listens) {
  if (!config.mysql) return Awaited::kAnswers;
  auto outage = app::DatabaseOutage(config.mysql->server);
  if (!outage) return Awaited::kAnswers;
  std::unique_ptr<app::WaitingServer> server;
  if (listens) {
    auto started = app::WaitingServer::Start(config);
    if (!started) {
      std::fputs(fmt::format("maejin: {}\n", started.error()).c_str(), stderr);
      return Awaited::kFailed;
    }
    server = std::move(*started);
  }
  auto logged_at = std::chrono::steady_clock::time_point{};
  for (;;) {
    if (const auto now = std::chrono::steady_clock::now(); now - logged_at >= kLogEvery) {
      LogWarning("the database {} does not answer: {}; retrying, /readyz is 503",
                 mysql::Redacted(config.mysql->server), *outage);
      logged_at = now;
    }
    if (signals.WaitFor(kAskDatabaseEvery)) return Awaited::kStopped;
    outage = app::DatabaseOutage(config.mysql->server);
    if (!outage) return Awaited::kAnswers;
  }
}

// Sends a keep-alive message three times per watchdog interval, while every event loop responds. If a loop
// hangs for the whole interval, the service manager restarts the server.
std::unique_ptr<Ticker> StartWatchdog(const app::ServiceManager& manager, app::Application& application) {
  if (!manager.watchdog()) return nullptr;
  const auto third = std::max(*manager.watchdog() / 3, Millis(1));
  return std::make_unique<Ticker>(third, [&manager, &application, third] {
    if (application.Responds(third)) manager.KeepAlive();
  });
}

// An invalid configuration changes nothing.
void Reload(const Invocation& invocation, app::Application& application) {
  const auto config = invocation.reread();
  if (!config) {
    for (const auto& error : config.error()) LogError("reload refused: {}", error);
    return;
  }
  const auto report = application.Reload(*config);
  if (!report) {
    LogError("reload refused: {}", report.error());
    return;
  }
  const auto& [changed, waiting] = *report;
  LogInfo("reloaded: {}",
          changed.empty() ? "no setting changed" : fmt::format("{}", fmt::join(changed, ", ")));
  if (!waiting.empty()) LogWarning("changed, but need a restart: {}", fmt::join(waiting, ", "));
}

}  // namespace

int RunServe(const Invocation& invocation) {
  const auto& listen = invocation.config.listen;
  if (geteuid() == 0 && !listen.IsLoopback() && !invocation.Has("allow-root")) {
    return Fail(
        fmt::format("serve refuses to run as root on {}, an address that other machines reach. Run it as "
                    "another user, or "
                    "give --allow-root.",
                    listen.ToString()));
  }
  auto environment = app::ReadServiceEnvironment(getenv, getpid());
  if (!environment) return Fail(environment.error());
  const app::ServiceManager manager(std::move(*environment));
  const auto sockets = manager.TakeSockets();
  if (sockets.size() > 1) return Fail("the service manager passed more than one socket");
  const StopSignals signals(Hangup::kHandled);
  const auto awaited = AwaitDatabase(invocation.config, signals, sockets.empty());
  if (awaited == Awaited::kStopped) return kExitDone;
  if (awaited == Awaited::kFailed) return kExitError;
  app::Application::Options options;
  if (!sockets.empty()) options.socket = sockets.front();
  auto started = app::Application::Start(invocation.config, options);
  if (!started) {
    std::fputs(fmt::format("maejin: {}\n", started.error()).c_str(), stderr);
    return kExitError;
  }
  const auto& application = *started;
  // Scripts wait for this text line: print it exactly once and flush.
  std::fputs(fmt::format("maejin: listening on {}\n", application->url()).c_str(), stdout);
  if (isatty(STDOUT_FILENO) == 1)
    std::fputs(LinkLines(application->url(), invocation.config).c_str(), stdout);
  std::fflush(stdout);
  manager.Ready(fmt::format("listening on {}", application->url()));
  auto watchdog = StartWatchdog(manager, *application);
  signals.Wait([&] { Reload(invocation, *application); });
  signals.RestoreDefault();
  watchdog.reset();
  manager.Stopping("finishing the requests in flight");
  application->Drain();
  return kExitDone;
}

}  // namespace maejin::cli
