#include "cli/sandbox/sandbox_pay.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/common/signals.h"
#include "cli/sandbox/sandbox_routes.h"
#include "config/address.h"
#include "http/problem.h"
#include "server/server.h"

namespace maejin::cli {

std::vector<VerbFlag> SandboxPayFlags() {
  return {{"listen", "ADDRESS", "127.0.0.1:9090", "Address and port; port 0 chooses a free port"},
          {"ledger", "FILE", "", "File of the ledger (default: in memory only)"}};
}

int RunSandboxPay(const Invocation& invocation) {
  const auto listen = invocation.Text("listen");
  if (!config::ParseAddress(listen))
    return FailUsage(
        fmt::format("--listen must be an address with a port, such as 127.0.0.1:9090, not \"{}\"", listen));
  const StopSignals signals;
  const auto bank = SandboxBank::Open(invocation.Text("ledger"));
  if (!bank) return Fail(bank.error());
  FaultInjector injector;
  http::Router router;
  AddSandboxRoutes(router, **bank, injector);
  http::ServerOptions options;
  options.threads = 1;
  options.drain_deadline = Millis{1000};
  http::Server server(router, options, {.admin_key = {}, .problems = http::Problems()});
  const auto bound = server.Listen(listen);
  if (!bound) return Fail(bound.error());
  server.Start();
  fmt::print("maejin sandbox-pay: listening on http://{}\n", bound->text);
  std::fflush(stdout);
  signals.Wait();
  signals.RestoreDefault();
  server.Drain();
  server.Wait();
  return kExitDone;
}

}  // namespace maejin::cli
