#include "cli/rankings.h"

#include <cstdio>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "cli/common/operator_server.h"

namespace maejin::cli {
namespace {

constexpr std::int64_t kRowsPerPage = 1000;

// A 400 of the server is an error of the command line.
int FailWith(const OperatorError& error) {
  return error.status == 400 ? FailUsage(error.sentence) : Fail(error.sentence);
}

// Posts to the admin API and prints the answer.
int PostAndPrint(const Invocation& invocation, const std::string& target, const std::string& body,
                 const std::function<std::string(const boost::json::object&)>& sentence) {
  auto server = OperatorServer::Reach(invocation.config);
  if (!server) return Fail(server.error());
  HttpCall call;
  call.method = "POST";
  call.target = target;
  call.body = body;
  const auto answer = server->Ask(call);
  if (!answer) return FailWith(answer.error());
  if (invocation.json) {
    std::puts(answer->body.c_str());
  } else {
    std::puts(sentence(boost::json::parse(answer->body).as_object()).c_str());
  }
  return kExitDone;
}

struct ExportBoard {
  std::string_view name;
  std::string_view path;
};
constexpr ExportBoard kExportBoards[] = {
    {"concerts", "/api/v1/rankings/soldout"},
    {"schedules", "/api/v1/rankings/soldout/schedules"},
    {"composite", "/api/v1/rankings/soldout/top"},
    {"progress", "/api/v1/rankings/progress"},
};

std::string JsonValue(const boost::json::value& value) {
  // Boost.JSON writes 75.0 as 7.5E1. The only fraction of a board is `percent`, with one decimal.
  return value.is_double() ? fmt::format("{:.1f}", value.get_double()) : boost::json::serialize(value);
}

void PrintJson(const boost::json::object& entry) {
  std::string line;
  for (const auto& [name, value] : entry)
    line += fmt::format("{}\"{}\":{}", line.empty() ? "{" : ",", std::string_view(name), JsonValue(value));
  std::puts((line + "}").c_str());
}

std::string CsvValue(const boost::json::value& value) {
  if (!value.is_string()) return JsonValue(value);
  const std::string text(value.get_string());
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void PrintCsv(const boost::json::object& entry, bool with_head) {
  std::string head;
  std::string line;
  for (const auto& [name, value] : entry) {
    const char* comma = line.empty() ? "" : ",";
    head += comma + std::string(name);
    line += comma + CsvValue(value);
  }
  if (with_head) std::puts(head.c_str());
  std::puts(line.c_str());
}

// Prints one page; returns the number of its rows.
Result<std::int64_t, OperatorError> ExportPage(OperatorServer& server, const std::string& target, bool csv,
                                               bool first) {
  HttpCall call;
  call.target = target;
  const auto answer = server.Ask(call);
  if (!answer) return answer.error();
  const auto page = boost::json::parse(answer->body);
  const auto& entries = page.at("entries").as_array();
  bool with_head = first;
  for (const auto& entry : entries) {
    if (csv) {
      PrintCsv(entry.as_object(), with_head);
    } else {
      PrintJson(entry.as_object());
    }
    with_head = false;
  }
  return static_cast<std::int64_t>(entries.size());
}

}  // namespace

int RunRankingsRebuild(const Invocation& invocation) {
  return PostAndPrint(invocation, "/api/v1/admin/rankings/rebuild", "",
                      [](const boost::json::object&) { return "all boards were rebuilt from the database"; });
}

int RunRankingsPrune(const Invocation& invocation) {
  const auto before = invocation.Text("before");
  if (before.empty()) return FailUsage("--before MONTH is missing, e.g. --before 2025-01");
  const auto body = boost::json::serialize(boost::json::object{{"before", before}});
  return PostAndPrint(
      invocation, "/api/v1/admin/rankings/prune", body, [](const boost::json::object& answer) {
        return fmt::format("dropped {} boards with {} rows; the database still answers queries about them",
                           answer.at("boards").as_int64(), answer.at("rows").as_int64());
      });
}

std::vector<VerbFlag> RankingsExportFlags() {
  return {{"board", "NAME", "concerts", "concerts, schedules, composite or progress"},
          {"window", "NAME", "", "daily, weekly, monthly or all, as far as the board has it"},
          {"at", "DAY", "", "Any day in the window, YYYY-MM-DD (default today)"},
          {"format", "NAME", "ndjson", "ndjson or csv"}};
}

int RunRankingsExport(const Invocation& invocation) {
  const auto name = invocation.Text("board");
  const auto* board = std::find_if(std::begin(kExportBoards), std::end(kExportBoards),
                                   [&](const ExportBoard& candidate) { return candidate.name == name; });
  if (board == std::end(kExportBoards))
    return FailUsage("--board is concerts, schedules, composite or progress");
  const auto format = invocation.Text("format");
  if (format != "ndjson" && format != "csv") return FailUsage("--format is ndjson or csv");
  auto window = invocation.Text("window");
  if (window.empty() && name == "concerts") window = "all";
  auto server = OperatorServer::Reach(invocation.config);
  if (!server) return Fail(server.error());
  auto query = fmt::format("{}?topN={}", board->path, kRowsPerPage);
  if (!window.empty()) query += "&window=" + window;
  if (const auto at = invocation.Text("at"); !at.empty()) query += "&at=" + at;
  for (std::int64_t from = 1;; from += kRowsPerPage) {
    const auto rows = ExportPage(*server, fmt::format("{}&from={}", query, from), format == "csv", from == 1);
    if (!rows) return FailWith(rows.error());
    if (*rows < kRowsPerPage || name == "composite") return kExitDone;
  }
}

}  // namespace maejin::cli
