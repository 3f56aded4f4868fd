#include "cli/serve.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/signals.h"

namespace maejin::cli {

ApplicationOptions OptionsOf(const Config& config) {
  ApplicationOptions options;
  options.listen = config.listen.ToString();
  options.data = config.data;
  options.keys = config.keys;
  options.admin_key_file = config.admin_key_file;
  options.timezone = config.timezone;
  return options;
}

int RunServe(const Invocation& invocation) {
  const StopSignals signals;
  auto started = Application::Start(OptionsOf(invocation.config));
  if (!started) {
    std::fputs(fmt::format("maejin: {}\n", started.error()).c_str(), stderr);
    return kExitError;
  }
  const auto& application = *started;
  // Programs wait for this line: exactly one, and at once.
  std::fputs(fmt::format("maejin: listening on {}\n", application->url()).c_str(), stdout);
  std::fflush(stdout);
  signals.Wait();
  signals.EndAtOnce();
  application->Drain();
  return kExitDone;
}

}  // namespace maejin::cli
