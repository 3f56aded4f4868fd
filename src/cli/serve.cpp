#include "cli/serve.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "app/application.h"
#include "cli/common/signals.h"

namespace maejin::cli {

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
