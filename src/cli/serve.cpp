#include "cli/serve.h"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "app/application.h"
#include "app/await_database.h"
#include "base/log.h"
#include "cli/common/signals.h"

namespace maejin::cli {
namespace {

constexpr Millis kAskDatabaseEvery{500};
constexpr Seconds kSayEvery{10};

enum class Awaited { kAnswers, kStopped, kFailed };

// Returns at once where there is no shared database, or where it answers.
Awaited AwaitDatabase(const config::Config& config, const StopSignals& signals) {
  if (!config.mysql || app::DatabaseAnswers(config.mysql->server)) return Awaited::kAnswers;
  const auto waiting = app::WaitingServer::Start(config);
  if (!waiting) {
    std::fputs(fmt::format("maejin: {}\n", waiting.error()).c_str(), stderr);
    return Awaited::kFailed;
  }
  auto said_at = std::chrono::steady_clock::time_point{};
  for (;;) {
    if (const auto now = std::chrono::steady_clock::now(); now - said_at >= kSayEvery) {
      LogWarning("the database does not answer ({}); waiting for it, /readyz is 503",
                 mysql::Redacted(config.mysql->server));
      said_at = now;
    }
    if (signals.WaitFor(kAskDatabaseEvery)) return Awaited::kStopped;
    if (app::DatabaseAnswers(config.mysql->server)) return Awaited::kAnswers;
  }
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
  const StopSignals signals(Hangup::kIgnored);
  const auto awaited = AwaitDatabase(invocation.config, signals);
  if (awaited == Awaited::kStopped) return kExitDone;
  if (awaited == Awaited::kFailed) return kExitError;
  auto started = app::Application::Start(invocation.config);
  if (!started) {
    std::fputs(fmt::format("maejin: {}\n", started.error()).c_str(), stderr);
    return kExitError;
  }
  const auto& application = *started;
  // Scripts wait for this text line: print it exactly once and flush.
  std::fputs(fmt::format("maejin: listening on {}\n", application->url()).c_str(), stdout);
  std::fflush(stdout);
  signals.Wait();
  signals.RestoreDefault();
  application->Drain();
  return kExitDone;
}

}  // namespace maejin::cli
