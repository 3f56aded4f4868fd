#include "cli/data_verbs.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/embedded/data_folder.h"
#include "adapters/embedded/moved_data.h"
#include "adapters/mysql/moved_data.h"
#include "base/json_text.h"
#include "usecase/move_data.h"

namespace maejin::cli {
namespace {

// Shows the row count on standard error if that is a terminal.
MoveProgress ShowProgress(const char* word) {
  return [word, shown = isatty(STDERR_FILENO) == 1](std::int64_t rows) {
    if (shown) fmt::print(stderr, "\rmaejin: {} rows {}", rows, word);
  };
}

std::string StoreName(const config::Config& config) {
  return config.mysql ? mysql::Redacted(config.mysql->server) : config.data.string();
}

// `word` is "exported from" or "imported into". JSON goes to `json_out`.
int PrintReport(const Invocation& invocation, const Result<MoveReport, std::string>& moved, const char* word,
                std::FILE* json_out) {
  if (isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
  if (!moved) return Fail(moved.error());
  const auto store = StoreName(invocation.config);
  if (!invocation.json) {
    // To standard error, because standard output may be the exported file.
    fmt::print(stderr, "maejin: {} rows {} {}; boards {}\n", moved->rows, word, store, moved->boards);
    return kExitDone;
  }
  const auto report = JsonObjectText([&](JsonWriter& json) {
    json.Field("file", invocation.arguments.front());
    json.Field("store", store);
    json.Field("rows", moved->rows);
    json.Field("boards", moved->boards);
  });
  fmt::print(json_out, "{}\n", report);
  return kExitDone;
}

std::unique_ptr<DataSource> SourceOf(const config::Config& config) {
  if (config.mysql) return std::make_unique<mysql::MysqlDataSource>(config.mysql->server);
  return std::make_unique<embedded::EmbeddedDataSource>((config.data / "maejin.db").string());
}

Result<MoveReport, std::string> ExportTo(DataSource& source, const std::string& file) {
  if (file == "-") return ExportData(source, std::cout, ShowProgress("exported"));
  // Customer data: only the owner may read the file.
  umask(077);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) return fmt::format("cannot write {}", file);
  return ExportData(source, out, ShowProgress("exported"));
}

int ImportInto(DataTarget& target, InputFile& file, const Invocation& invocation) {
  return PrintReport(invocation, ImportData(file.stream(), target, ShowProgress("imported")), "imported into",
                     stdout);
}

}  // namespace

int RunDataExport(const Invocation& invocation) {
  const auto& config = invocation.config;
  try {
    // The folder stays locked during the export: otherwise the file could lack changes of a server.
    std::optional<Result<embedded::DataFolder, std::string>> folder;
    if (!config.mysql) folder.emplace(embedded::DataFolder::Open(config.data, embedded::Missing::kRefuse));
    if (folder && !*folder) return Fail(folder->error());
    const auto source = SourceOf(config);
    const auto& file = invocation.arguments.front();
    return PrintReport(invocation, ExportTo(*source, file), "exported from", file == "-" ? stderr : stdout);
  } catch (const std::runtime_error& error) {
    return Fail(error.what());
  }
}

int RunDataImport(const Invocation& invocation) {
  const auto& config = invocation.config;
  auto file = InputFile::Open(invocation.arguments.front());
  if (!file) return Fail(file.error());
  try {
    if (config.mysql) {
      mysql::MysqlDataTarget target(config.mysql->server);
      return ImportInto(target, *file, invocation);
    }
    // The folder stays locked during the import: no server may start on partial data.
    const auto folder = embedded::DataFolder::Open(config.data);
    if (!folder) return Fail(folder.error());
    embedded::EmbeddedDataTarget target(folder->database().string());
    return ImportInto(target, *file, invocation);
  } catch (const std::runtime_error& error) {
    return Fail(error.what());
  }
}

}  // namespace maejin::cli
