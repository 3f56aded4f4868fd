#include "cli/serve.h"

#include <cstdio>

#include <fmt/format.h>

#include "app/application.h"
#include "cli/common/signals.h"

namespace maejin::cli {

int RunServe(const Invocation& invocation) {
  const StopSignals signals;
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
