#include "usecase/move_data.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "base/crypto.h"
#include "base/json_writer.h"
#include "domain/ranking/sold_out_order.h"

namespace maejin {
namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kRowsAtOnce = 500;
constexpr std::int64_t kProgressEvery = 10'000;

using Counts = std::map<std::string, std::int64_t, std::less<>>;

const MovedTable& TableNamed(std::string_view name) {
  const auto tables = MovedTables();
  return *std::find_if(tables.begin(), tables.end(),
                       [&](const MovedTable& each) { return each.name == name; });
}

std::int64_t Number(const MovedTable& table, const MovedRow& row, std::string_view column) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const MovedColumn& each) { return each.name == column; });
  const auto* number =
      std::get_if<std::int64_t>(&row[static_cast<std::size_t>(found - table.columns.begin())]);
  return number ? *number : 0;
}

void AppendCell(std::string& line, const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    line += std::to_string(*number);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendJsonString(line, *text);
  } else {
    line += "null";
  }
}

std::string LineOf(const MovedTable& table, const MovedRow& row) {
  auto line = fmt::format("{{\"table\":\"{}\",\"row\":[", table.name);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    AppendCell(line, row[i]);
  }
  return line + "]}\n";
}

std::string End(const Counts& counts, const std::string& boards) {
  std::string line;
  JsonWriter out(line);
  out.Object([&] {
    out.Object("counts", [&] {
      for (const auto& [table, count] : counts) out.Field(table, count);
    });
    out.Field("boards", boards);
  });
  return line;
}

Counts CountsOf(DataSource& source) {
  Counts counts;
  for (const auto& table : MovedTables()) {
    auto& count = counts[std::string(table.name)];
    source.Read(table, [&](const MovedRow&) { ++count; });
  }
  return counts;
}

// The sell-outs of one table in ranking order.
std::string OrderOf(DataSource& source, std::string_view name, std::string_view id, std::string_view start,
                    std::string_view dates, DurationUnit unit) {
  const auto& table = TableNamed(name);
  std::vector<SoldOutKey> keys;
  source.Read(table, [&](const MovedRow& row) {
    const auto started = TimeFromMillis(Number(table, row, start));
    keys.push_back({TimeFromMillis(Number(table, row, "sold_out_at")) - started,
                    dates.empty() ? 0 : Number(table, row, dates), started, Number(table, row, id)});
  });
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) { return RanksBefore(a, b, unit); });
  std::string text;
  for (const auto& key : keys) text += fmt::format("{} {}\n", key.id, InUnit(key.duration, unit));
  return text;
}

std::string ReservedOf(DataSource& source) {
  const auto& table = TableNamed("reservations");
  std::map<std::int64_t, std::int64_t> reserved;
  source.Read(table, [&](const MovedRow& row) {
    const auto& status = std::get<std::string>(row[7]);
    if (status != "HELD" && status != "PAYING" && status != "CONFIRMED") return;
    const auto& seats = std::get<std::string>(row[5]);
    reserved[Number(table, row, "schedule_id")] += 1 + std::count(seats.begin(), seats.end(), ',');
  });
  std::string text;
  for (const auto& [schedule, seats] : reserved) text += fmt::format("{} {}\n", schedule, seats);
  return text;
}

Cell CellOf(const json::value& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return std::string(value.get_string());
  return value.to_number<std::int64_t>();
}

Cell ValueWhenMissing(const MovedColumn& column) {
  switch (column.missing) {
    case WhenMissing::kRefuse:
    case WhenMissing::kNull:
      break;
    case WhenMissing::kZero:
      return std::int64_t{0};
    case WhenMissing::kOne:
      return std::int64_t{1};
  }
  return {};
}

// Whether a row with `cells` cells has all columns, apart from columns that were added in later versions.
bool HasEnough(const MovedTable& table, std::size_t cells) {
  return cells <= table.columns.size() &&
         (cells == table.columns.size() || table.columns[cells].missing != WhenMissing::kRefuse);
}

// Reads the file row by row and writes the rows to the target in batches.
class Reader {
 public:
  Reader(std::istream& in, DataTarget& target, const MoveProgress& progress)
      : in_(in), target_(target), progress_(progress) {}

  // The last object of the file (counts and digest), or a sentence about the invalid file.
  Result<json::object, std::string> Run() {
    std::string line;
    if (!std::getline(in_, line) || !IsHead(line))
      return std::string("the file was not written by `maejin data export`");
    for (std::int64_t number = 2; std::getline(in_, line); ++number) {
      json::error_code error;
      auto value = json::parse(line, error);
      const auto* object = error ? nullptr : value.if_object();
      if (object && object->contains("counts")) {
        Flush();
        return *object;
      }
      if (!object || !Take(*object)) return fmt::format("line {} is not a table row", number);
    }
    return std::string("the file is truncated: its last line is missing");
  }
  std::int64_t rows() const { return rows_; }

 private:
  static bool IsHead(const std::string& line) {
    json::error_code error;
    const auto value = json::parse(line, error);
    const auto* head = error ? nullptr : value.if_object();
    const auto* version = head ? head->if_contains("maejin-data") : nullptr;
    return version && *version == kVersion;
  }

  bool Take(const json::object& object) {
    const auto* name = object.if_contains("table");
    const auto* cells = object.if_contains("row");
    if (!name || !name->is_string() || !cells || !cells->is_array()) return false;
    const auto tables = MovedTables();
    const auto found = std::find_if(tables.begin(), tables.end(), [&](const MovedTable& each) {
      return each.name == std::string_view(name->get_string());
    });
    if (found == tables.end() || !HasEnough(*found, cells->get_array().size())) return false;
    // Pictures are large: each one is a batch of its own.
    const bool large = found->columns.back().kind == CellKind::kBytes;
    if (table_ != &*found || large || batch_.size() == kRowsAtOnce) Flush();
    table_ = &*found;
    auto& row = batch_.emplace_back();
    for (const auto& cell : cells->get_array()) row.push_back(CellOf(cell));
    while (row.size() < found->columns.size()) row.push_back(ValueWhenMissing(found->columns[row.size()]));
    if (++rows_ % kProgressEvery == 0) progress_(rows_);
    return true;
  }

  void Flush() {
    if (!batch_.empty()) target_.Write(*table_, batch_);
    batch_.clear();
  }

  std::istream& in_;
  DataTarget& target_;
  const MoveProgress& progress_;
  const MovedTable* table_ = nullptr;
  std::vector<MovedRow> batch_;
  std::int64_t rows_ = 0;
};

// A sentence about the first difference, or an empty text.
std::string Difference(const json::object& promised, const Counts& counts, const std::string& boards) {
  for (const auto& [table, count] : counts) {
    const auto* expected = promised.at("counts").as_object().if_contains(table);
    const auto wanted = expected ? expected->to_number<std::int64_t>() : 0;
    if (wanted != count) return fmt::format("{}: {} rows were exported, {} arrived", table, wanted, count);
  }
  if (std::string_view(promised.at("boards").as_string()) != boards)
    return "the boards of the imported rows differ from the exported boards";
  return {};
}

}  // namespace

std::string DigestOfBoards(DataSource& source) {
  const auto text =
      OrderOf(source, "sold_out_concerts", "concert_id", "booking_open_at", "dates", DurationUnit::kMillis) +
      "\n" + OrderOf(source, "sold_out_schedules", "schedule_id", "started_at", "", DurationUnit::kSeconds) +
      "\n" + ReservedOf(source);
  return EncodeBase64Url(AsText(Sha256(text)));
}

Result<MoveReport, std::string> ExportData(DataSource& source, std::ostream& out,
                                           const MoveProgress& progress) {
  MoveReport report;
  Counts counts;
  out << fmt::format("{{\"maejin-data\":{}}}\n", kVersion);
  for (const auto& table : MovedTables()) {
    auto& count = counts[std::string(table.name)];
    source.Read(table, [&](const MovedRow& row) {
      out << LineOf(table, row);
      ++count;
      if (++report.rows % kProgressEvery == 0) progress(report.rows);
    });
  }
  report.boards = DigestOfBoards(source);
  out << End(counts, report.boards) << '\n' << std::flush;
  if (!out) return std::string("the file could not be written: is the disk full?");
  return report;
}

Result<MoveReport, std::string> ImportData(std::istream& in, DataTarget& target,
                                           const MoveProgress& progress) {
  if (!target.Empty())
    return std::string("the target is not empty: data can only be imported into an empty store");
  Reader reader(in, target, progress);
  const auto end = reader.Run();
  if (!end) return end.error();
  target.Finish();
  MoveReport report{reader.rows(), DigestOfBoards(target)};
  if (auto difference = Difference(*end, CountsOf(target), report.boards); !difference.empty())
    return difference;
  target.Commit();
  return report;
}

}  // namespace maejin
