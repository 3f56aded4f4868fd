#include "cli/top/top_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/top/display_width.h"

namespace maejin::cli {
namespace {

constexpr std::string_view kUnknown = "-";
constexpr std::size_t kMinNameColumns = 12;
constexpr std::size_t kLabelColumns = 13;

// "1,234,567".
std::string Grouped(std::int64_t number) {
  auto digits = fmt::format("{}", number < 0 ? -number : number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return number < 0 ? "-" + digits : digits;
}

// Small rates have a decimal, so that 0.3 is not shown as 0.
std::string RateText(const std::optional<double>& rate) {
  if (!rate) return std::string(kUnknown);
  return *rate > 0 && *rate < 9.95 ? fmt::format("{:.1f}", *rate) : Grouped(std::llround(*rate));
}

std::string FigureText(const Figure& figure) {
  if (!figure.value) return std::string(kUnknown);
  switch (figure.unit) {
    case FigureUnit::kCount:
      return Grouped(static_cast<std::int64_t>(*figure.value));
    case FigureUnit::kPerSecond:
      return RateText(figure.value) + "/s";
    case FigureUnit::kPerMinute:
      return RateText(figure.value) + "/min";
    case FigureUnit::kSeconds:
      break;
  }
  return *figure.value < 1 ? fmt::format("{:g} ms", *figure.value * 1000)
                           : fmt::format("{:g} s", *figure.value);
}

std::string UptimeText(Millis up) {
  const auto seconds = std::max<std::int64_t>(0, up.count() / 1000);
  const auto days = seconds / 86400;
  const auto hours = seconds / 3600 % 24;
  const auto minutes = seconds / 60 % 60;
  if (days > 0) return fmt::format("{} d {} h", days, hours);
  if (hours > 0) return fmt::format("{} h {:02} min", hours, minutes);
  return minutes > 0 ? fmt::format("{} min {:02} s", minutes, seconds % 60) : fmt::format("{} s", seconds);
}

// "02:50:11 UTC".
std::string HourText(Time time) { return FormatTime(time).substr(11, 8) + " UTC"; }

TopLine HeadLine(const TopView& view) {
  auto text = fmt::format("maejin {}{}", view.server ? view.server->version + "  " : " ", view.url);
  if (view.server && view.server->started_at)
    text += fmt::format("  up {}", UptimeText(view.at - *view.server->started_at));
  return {LineStyle::kStrong, text + "  " + HourText(view.at)};
}

TopLine HealthLine(const TopView& view) {
  std::string text = view.ready ? "ready" : view.draining ? "DRAINING" : "NOT READY";
  for (const auto& [name, fine] : view.checks) text += fmt::format("   {} {}", name, fine ? "ok" : "DOWN");
  return {view.ready ? LineStyle::kPlain : LineStyle::kAlarm, text};
}

// One text line per group of figures, wrapped if it does not fit.
void AddFigures(const TopView& view, std::size_t columns, std::vector<TopLine>& lines) {
  std::string_view group;
  for (const auto& figure : view.figures) {
    if (!figure.reported) continue;
    auto text = FigureText(figure);
    if (!figure.label.empty()) text = fmt::format("{} {}", figure.label, text);
    const bool fits = !lines.empty() && DisplayWidth(lines.back().text) + 3 + text.size() <= columns;
    if (figure.group == group && fits) {
      lines.back().text += "   " + text;
    } else {
      const auto label = figure.group == group ? std::string_view() : figure.group;
      lines.push_back({LineStyle::kPlain, PadRight(label, kLabelColumns) + text});
    }
    group = figure.group;
  }
}

// A table whose first column takes the remaining width.
struct TopTable {
  struct Column {
    std::string_view head;
    std::size_t columns;
  };
  std::string_view name;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // the first cell is the name
};

std::string RowText(const TopTable& table, const std::vector<std::string>& cells, std::size_t shown,
                    std::size_t columns) {
  std::size_t used = 0;
  std::string rest;
  for (std::size_t i = 0; i < shown; ++i) {
    rest += ' ' + PadLeft(cells[i + 1], table.columns[i].columns);
    used += 1 + table.columns[i].columns;
  }
  return PadRight(cells[0], columns > used ? columns - used : 0) + rest;
}

void AddTable(const TopTable& table, std::size_t columns, std::size_t rows, std::vector<TopLine>& lines) {
  std::size_t shown = 0;
  for (std::size_t used = kMinNameColumns; shown < table.columns.size(); ++shown) {
    used += 1 + table.columns[shown].columns;
    if (used > columns) break;
  }
  std::vector<std::string> head{std::string(table.name)};
  for (const auto& column : table.columns) head.emplace_back(column.head);
  lines.push_back({LineStyle::kHead, RowText(table, head, shown, columns)});
  const bool all = table.rows.size() <= rows;
  const auto kept = all ? table.rows.size() : std::max<std::size_t>(rows, 1) - 1;
  for (std::size_t i = 0; i < kept; ++i)
    lines.push_back({LineStyle::kPlain, RowText(table, table.rows[i], shown, columns)});
  if (!all) lines.push_back({LineStyle::kPlain, fmt::format("… and {} more", table.rows.size() - kept)});
}

TopTable RoomTable(const TopView& view) {
  TopTable table{"ROOM", {{"WAITING", 10}, {"INSIDE", 15}, {"IN/MIN", 8}, {"STATE", 9}, {"SERVING", 10}}, {}};
  for (const auto& [room, title, admitted] : view.rooms) {
    table.rows.push_back({Printable(title.empty() ? room.id : room.id + " " + title), Grouped(room.waiting),
                          Grouped(room.entered) + "/" + Grouped(room.capacity), RateText(admitted),
                          room.state.empty() ? std::string(kUnknown) : Printable(room.state),
                          room.serving ? Grouped(*room.serving) : std::string(kUnknown)});
  }
  return table;
}

std::string NodeFigure(const TopNode& node, std::string_view group, std::string_view label) {
  for (const auto& figure : node.figures)
    if (figure.group == group && figure.label == label) return FigureText(figure);
  return std::string(kUnknown);
}

TopTable NodeTable(const TopView& view) {
  TopTable table{
      "NODE", {{"STATE", 9}, {"REQUESTS", 10}, {"ERRORS", 8}, {"P99", 9}, {"OPEN", 8}, {"SHED", 8}}, {}};
  for (const auto& node : view.nodes) {
    table.rows.push_back({Printable(node.url), node.state, NodeFigure(node, "requests", ""),
                          NodeFigure(node, "requests", "errors"), NodeFigure(node, "requests", "p99"),
                          NodeFigure(node, "connections", ""), NodeFigure(node, "connections", "shed")});
  }
  return table;
}

TopTable ConcertTable(const TopView& view) {
  TopTable table{"ON SALE", {{"SOLD", 10}, {"HELD", 8}, {"FREE", 10}, {"SOLD/MIN", 9}, {"STATE", 8}}, {}};
  for (const auto& [concert, sold, pace] : view.concerts) {
    table.rows.push_back({Printable(fmt::format("{} {}", concert.id, concert.title)), Grouped(sold),
                          Grouped(concert.held), Grouped(concert.free), RateText(pace),
                          concert.status == "OPEN" ? "open" : "sold out"});
  }
  return table;
}

// Divides `rows` between two tables: half each; rows that one table does not need go to the other.
std::pair<std::size_t, std::size_t> Share(std::size_t first, std::size_t second, std::size_t rows) {
  const auto half = rows / 2;
  if (first <= half) return {first, rows - first};
  if (second <= rows - half) return {rows - second, second};
  return {half, rows - half};
}

std::vector<TopLine> Fitted(std::vector<TopLine> lines, TopSize size) {
  if (lines.size() > size.rows) lines.resize(size.rows);
  for (auto& line : lines) line.text = Truncate(line.text, size.columns);
  return lines;
}

}  // namespace

std::vector<TopLine> TopLines(const TopView& view, TopSize size) {
  std::vector<TopLine> lines;
  if (!view.nodes.empty()) {
    AddTable(NodeTable(view), size.columns, view.nodes.size(), lines);
    lines.emplace_back();
  }
  lines.push_back(HeadLine(view));
  lines.push_back(HealthLine(view));
  AddFigures(view, size.columns, lines);
  for (const auto& note : view.notes) lines.push_back({LineStyle::kPlain, Printable(note)});
  constexpr std::size_t kHeads = 4;  // two table heads, and an empty text line before each
  const auto left = size.rows > lines.size() + kHeads ? size.rows - lines.size() - kHeads : 0;
  const auto rooms = RoomTable(view);
  const auto concerts = ConcertTable(view);
  const auto [room_rows, concert_rows] = Share(rooms.rows.size(), concerts.rows.size(), left);
  lines.emplace_back();
  AddTable(rooms, size.columns, room_rows, lines);
  lines.emplace_back();
  AddTable(concerts, size.columns, concert_rows, lines);
  return Fitted(std::move(lines), size);
}

std::vector<TopLine> TopLines(const Outage& outage, TopSize size) {
  const auto seconds = std::max<std::int64_t>(0, (outage.at - outage.since).count() / 1000);
  return Fitted(
      {{LineStyle::kStrong, fmt::format("maejin  {}  {}", outage.url, HourText(outage.at))},
       {LineStyle::kAlarm, fmt::format("NO ANSWER since {} ({} s)", HourText(outage.since), seconds)},
       {LineStyle::kPlain, Printable(outage.sentence)}},
      size);
}

}  // namespace maejin::cli
