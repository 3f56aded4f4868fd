#include "cli/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "cli/common/admin_client.h"
#include "cli/common/answer_json.h"
#include "cli/common/operator_server.h"
#include "domain/waiting_room/published_draw.h"

namespace maejin::cli {
namespace {

constexpr Seconds kReportTimeout{600};

struct Report {
  std::string text;
};

// The error is a sentence.
Result<Report, std::string> FetchReport(const Invocation& invocation, std::string_view concert,
                                        std::string_view format) {
  HttpCall call;
  call.target = fmt::format("/api/v1/concerts/{}/report?format={}", concert, format);
  if (!invocation.Has("url")) {
    auto server = OperatorServer::Reach(invocation.config);
    if (!server) return server.error();
    auto answer = server->Ask(call);
    if (!answer) return answer.error().sentence;
    return Report{std::move(answer->body)};
  }
  auto client = AdminClient(invocation.Text("url"), invocation.config);
  if (!client) return client.error();
  client->SetTimeout(kReportTimeout);
  auto answer = client->Call(call);
  if (!answer) return answer.error();
  if (answer->status != 200) return fmt::format("the server answered {}: {}", answer->status, answer->body);
  return Report{std::move(answer->body)};
}

// One statement of the verification.
struct Finding {
  bool ok = false;
  std::string sentence;
};

const boost::json::object& Certificate(const boost::json::object& report) {
  return report.at("certificate").as_object();
}

Finding CompareDraws(const boost::json::object& file, const boost::json::object& now) {
  const auto draws = ReadPublishedDraws(boost::json::serialize(Certificate(file)));
  if (!draws) return {false, "draws: the file has none that can be read"};
  for (const auto& draw : *draws) {
    const auto fault = Verify(draw);
    if (fault && fault != DrawFault::kNotDrawnYet)
      return {false, fmt::format("draws: from number {}: {}", draw.first, Name(*fault))};
  }
  if (Certificate(file).at("shuffles") != Certificate(now).at("shuffles"))
    return {false, "draws: the server has other draws than the file"};
  return {true, fmt::format("draws: {} recomputed", draws->size())};
}

Finding CompareBookings(const boost::json::object& file, const boost::json::object& now) {
  const auto& was = Certificate(file).at("bookings").as_object();
  const auto& is = Certificate(now).at("bookings").as_object();
  if (was.at("count") != is.at("count")) {
    return {false, fmt::format("bookings: {} paid in the file, {} on the server: write a new report",
                               was.at("count").as_int64(), is.at("count").as_int64())};
  }
  if (was != is) return {false, "bookings: a paid booking was changed after the report"};
  return {true, fmt::format("bookings: {} paid, unchanged", was.at("count").as_int64())};
}

// The hash of each audit row in the report, by the row's id.
std::map<std::int64_t, std::string> ActionsIn(const boost::json::object& report) {
  std::map<std::int64_t, std::string> actions;
  for (const auto& each : report.at("timeline").as_array()) {
    const auto& moment = each.as_object();
    if (const auto* id = moment.if_contains("auditId")) actions[id->as_int64()] = TextOf(moment, "hash");
  }
  return actions;
}

Finding CompareActions(const boost::json::object& file, const boost::json::object& now) {
  const auto actions = ActionsIn(now);
  const auto before = ActionsIn(file);
  for (const auto& [id, hash] : before) {
    const auto found = actions.find(id);
    if (found == actions.end() || found->second != hash)
      return {false, fmt::format("audit: row {} was changed or removed after the report", id)};
  }
  return {true, fmt::format("audit: {} actions, unchanged", before.size())};
}

std::vector<Finding> Compare(const boost::json::object& file, const boost::json::object& now) {
  std::vector<Finding> findings{CompareDraws(file, now), CompareBookings(file, now),
                                CompareActions(file, now)};
  for (const auto& each : Certificate(now).at("checks").as_array()) {
    const auto& check = each.as_object();
    const bool ok = check.at("ok").as_bool();
    const auto detail = ok ? std::string("ok") : TextOf(check, "detail");
    findings.push_back({ok, fmt::format("{}: {}", TextOf(check, "name"), detail)});
  }
  return findings;
}

Result<boost::json::object, std::string> ReadReport(const std::string& name) {
  auto file = InputFile::Open(name);
  if (!file) return file.error();
  std::ostringstream text;
  text << file->stream().rdbuf();
  auto report = ObjectIn(text.str());
  if (!report || !report->contains("certificate"))
    return fmt::format("{} is no sale report in JSON: write one with maejin report write", name);
  return std::move(*report);
}

void PrintFindings(const std::vector<Finding>& findings, bool json) {
  if (!json) {
    for (const auto& finding : findings)
      fmt::print("{:<7} {}\n", finding.ok ? "ok" : "CHANGED", finding.sentence);
    return;
  }
  boost::json::array rows;
  for (const auto& finding : findings) rows.push_back({{"ok", finding.ok}, {"text", finding.sentence}});
  fmt::print("{}\n", boost::json::serialize(rows));
}

constexpr VerbFlag kUrl{"url", "URL", "", "URL of the server (default: the server of the data folder)"};

}  // namespace

std::vector<VerbFlag> ReportWriteFlags() {
  return {kUrl,
          {"format", "json|csv|html", "json", "Format of the report"},
          {"output", "FILE", "", "Write to this file instead of standard output"}};
}

std::vector<VerbFlag> ReportVerifyFlags() { return {kUrl}; }

int RunReportWrite(const Invocation& invocation) {
  const auto& concert = invocation.arguments.front();
  const auto report = FetchReport(invocation, concert, invocation.Text("format"));
  if (!report) return Fail(report.error());
  const auto name = invocation.Text("output");
  if (name.empty()) {
    std::fputs(report->text.c_str(), stdout);
    return kExitDone;
  }
  std::ofstream file(name, std::ios::binary);
  file << report->text;
  file.close();
  if (!file) return Fail(fmt::format("cannot write {}", name));
  return kExitDone;
}

int RunReportVerify(const Invocation& invocation) {
  const auto file = ReadReport(invocation.arguments.front());
  if (!file) return Fail(file.error());
  try {
    const auto concert = std::to_string(file->at("concertId").as_int64());
    const auto report = FetchReport(invocation, concert, "json");
    if (!report) return Fail(report.error());
    const auto findings = Compare(*file, boost::json::parse(report->text).as_object());
    PrintFindings(findings, invocation.json);
    const bool same = std::all_of(findings.begin(), findings.end(), [](const auto& each) { return each.ok; });
    return same ? kExitDone : kExitError;
  } catch (const std::exception& error) {
    return Fail(fmt::format("{} is no sale report: {}", invocation.arguments.front(), error.what()));
  }
}

}  // namespace maejin::cli
