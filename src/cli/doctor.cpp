#include "cli/doctor.h"

#include <cstdio>

#include <fmt/format.h>

#include "app/check_meanings.h"
#include "app/node_checks.h"
#include "base/json_writer.h"
#include "cli/doctor_sale.h"

namespace maejin::cli {
namespace {

std::string AsJson(const std::vector<Finding>& findings) {
  std::string out;
  JsonWriter json(out);
  json.Array([&] {
    for (const auto& finding : findings) {
      json.Object([&] {
        json.Field("about", finding.about);
        json.Field("health", Name(finding.health));
        json.Field("sentence", finding.sentence);
        json.Field("meaning", app::MeaningOf(finding.about));
      });
    }
  });
  return out + '\n';
}

// A sale is judged by the server that will sell it: its limits, its clock, its connections.
std::vector<Finding> FindingsOf(const Invocation& invocation) {
  if (invocation.Has("sale")) return ExamineSale(invocation.config, invocation.Text("sale"));
  auto findings = app::ExamineNode(invocation.config);
  for (auto& finding : CheckSaleLimits(invocation.config)) {
    // The server's word about the key replaces the one about its file.
    std::erase_if(findings, [&](const Finding& before) {
      return finding.about == "admin key" && before.about == finding.about;
    });
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

int RunDoctor(const Invocation& invocation) {
  std::int64_t sale = 1;
  if (invocation.Has("sale") && !ReadNumber(invocation, "sale", 1, INT64_MAX, sale)) return kExitUsage;
  const auto findings = FindingsOf(invocation);
  bool bad = false;
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{:<8} {:<14} {}\n", Name(finding.health), finding.about, finding.sentence);
    bad = bad || finding.health == Health::kBad;
  }
  std::fputs((invocation.json ? AsJson(findings) : text).c_str(), stdout);
  return bad ? kExitError : kExitDone;
}

}  // namespace maejin::cli
