#include "cli/rehearsal/rehearse.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/common/admin_client.h"
#include "cli/rehearsal/rehearsal.h"
#include "cli/rehearsal/through.h"

namespace maejin::cli {
namespace {

constexpr Seconds kPreflightWithin{10};

int ExitCode(Verdict verdict) {
  if (verdict == Verdict::kPassed) return kExitDone;
  return verdict == Verdict::kFailed ? kExitBroken : kExitIncomplete;
}

}  // namespace

int RunRehearse(const Invocation& invocation) {
  if (invocation.Has("through")) return RehearseThrough(invocation);
  RehearsalPlan plan;
  if (!ReadPlan(invocation, plan)) return kExitUsage;
  plan.url = invocation.Text("url");
  if (plan.url.empty()) {
    const auto running = RunningServer(invocation.config);
    if (!running)
      return Fail(fmt::format("no server runs on {}: give one with --url", invocation.config.data.string()));
    plan.url = *running;
  }
  const auto server = config::ParseServerUrl(plan.url);
  if (!server)
    return FailUsage(fmt::format(
        "--url must be http://ADDRESS:PORT with an IP address or localhost, not \"{}\"", plan.url));
  plan.server = *server;
  plan.url = "http://" + server->ToString();
  const StopSignals signals;
  auto admin = AdminClient(plan.url, invocation.config);
  if (!admin) return Fail(admin.error());
  admin->SetTimeout(kPreflightWithin);
  auto preflight = RunPreflight(*admin, plan, invocation.config);
  if (!preflight) return Fail(preflight.error());
  // With --json, standard output contains only the report.
  auto* progress = invocation.json ? stderr : stdout;
  const auto report = Rehearsal(signals, std::move(*admin), plan, std::move(*preflight), progress).Run();
  if (!report) return Fail(report.error());
  std::fputs((invocation.json ? ReportJson(*report) : ReportText(*report)).c_str(), stdout);
  return ExitCode(report->verdict());
}

}  // namespace maejin::cli
