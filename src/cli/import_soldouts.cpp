#include "cli/import_soldouts.h"

#include <cstdio>
#include <functional>

#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/parse.hpp>

#include "cli/common/operator_server.h"
#include "cli/common/sold_out_csv.h"

namespace maejin::cli {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

// Shows the sent amount on standard error if that is a terminal.
class Progress {
 public:
  void Add(std::size_t bytes) {
    sent_ += bytes;
    if (!shown_ || sent_ < next_) return;
    next_ = sent_ + (4 << 20);
    std::fputs(fmt::format("\rmaejin: {} MiB sent", sent_ >> 20).c_str(), stderr);
  }
  ~Progress() {
    if (shown_ && next_ > 0) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool shown_ = isatty(STDERR_FILENO) == 1;
  std::size_t sent_ = 0;
  std::size_t next_ = 0;
};

// Fills the next chunk of the request body; false at the end.
using Source = std::function<bool(std::string&)>;

Source PlainSource(std::istream& in) {
  return [&in](std::string& piece) {
    piece.resize(kPiece);
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<std::size_t>(in.gcount()));
    return !piece.empty();
  };
}

Source CsvSource(SoldOutCsv& csv) {
  return [&csv](std::string& piece) {
    piece.clear();
    while (piece.size() < kPiece) {
      const auto line = csv.Next();
      if (!line) break;
      piece += *line;
    }
    return !piece.empty();
  };
}

// Prints the report as text. `line_of` maps a concert's number to the number of its text line.
int PrintReport(const std::string& body, const std::function<std::int64_t(std::int64_t)>& line_of) {
  const auto report = boost::json::parse(body).as_object();
  const auto count = [&](const char* name) { return report.at(name).as_int64(); };
  for (const auto& value : report.at("rejected").as_array()) {
    const auto& rejected = value.as_object();
    const auto* field = rejected.if_contains("field");
    fmt::print("line {}: {}{}\n", line_of(rejected.at("line").as_int64()),
               std::string(rejected.at("code").as_string()),
               field ? " (" + std::string(field->as_string()) + ")" : "");
  }
  fmt::print("{} imported, {} already known, {} rejected\n", count("imported"), count("skipped"),
             count("rejectedCount"));
  return count("rejectedCount") == 0 ? kExitDone : kExitError;
}

}  // namespace

int RunImportSoldOuts(const Invocation& invocation) {
  const auto& name = invocation.arguments.front();
  auto format = invocation.Text("format");
  if (format.empty()) format = name.ends_with(".csv") ? "csv" : "ndjson";
  if (format != "csv" && format != "ndjson") return FailUsage("--format is csv or ndjson");
  auto file = InputFile::Open(name);
  if (!file) return Fail(file.error());
  auto& in = file->stream();
  SoldOutCsv csv(in);
  const bool is_csv = format == "csv";
  if (is_csv) {
    if (const auto wrong = csv.ReadHead()) return Fail(fmt::format("{}: {}", name, *wrong));
  }
  auto server = OperatorServer::Reach(invocation.config);
  if (!server) return Fail(server.error());
  const auto source = is_csv ? CsvSource(csv) : PlainSource(in);
  HttpCall call;
  call.method = "POST";
  call.target = "/api/v1/admin/soldouts";
  call.headers = {{"Content-Type", "application/x-ndjson"}};
  Result<HttpAnswer, OperatorError> answer = OperatorError{};
  {
    Progress progress;
    answer = server->Send(call, [&](std::string& piece) {
      const bool more = source(piece);
      progress.Add(piece.size());
      return more;
    });
  }
  if (!answer) return Fail(answer.error().sentence);
  if (!invocation.json) {
    return PrintReport(answer->body, [&](std::int64_t line) { return is_csv ? csv.LineOf(line) : line; });
  }
  std::puts(answer->body.c_str());
  return answer->body.find("\"rejectedCount\":0,") != std::string::npos ? kExitDone : kExitError;
}

}  // namespace maejin::cli
