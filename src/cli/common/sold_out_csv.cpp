#include "cli/common/sold_out_csv.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"

namespace maejin::cli {
namespace {

enum Column : std::size_t {
  kConcertId,
  kTitle,
  kArtist,
  kVenue,
  kOpenAt,
  kSoldOutAt,
  kScheduleId,
  kConcertDate,
  kSeats,
  kScheduleOpenAt,
  kScheduleSoldOutAt,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames{
    "concertId",  "title",       "artist", "venue",          "bookingOpenAt",    "soldOutAt",
    "scheduleId", "concertDate", "seats",  "scheduleOpenAt", "scheduleSoldOutAt"};
constexpr std::array<bool, kColumns> kRequired{false, true, true, true,  true, true,
                                               false, true, true, false, false};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= 16 &&
         text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text.front() != '0');
}

void NumberField(JsonWriter& json, std::string_view name, std::string_view value) {
  if (IsNumber(value)) {
    json.Raw(name, value);
  } else {
    json.Field(name, value);
  }
}

}  // namespace

// Reads one record; a quoted field may span several text lines. False at the end.
bool SoldOutCsv::ReadRow(Row& row) {
  row.assign(1, {});
  bool quoted = false;
  bool any = false;
  for (int c = in_.get(); c != std::istream::traits_type::eof(); c = in_.get()) {
    any = true;
    if (c == '\n') ++line_;
    if (quoted) {
      if (c == '"' && in_.peek() == '"') {
        row.back() += static_cast<char>(in_.get());
      } else if (c == '"') {
        quoted = false;
      } else {
        row.back() += static_cast<char>(c);
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      return true;
    } else if (c != '\r') {
      row.back() += static_cast<char>(c);
    }
  }
  return any;
}

std::optional<std::string> SoldOutCsv::ReadHead() {
  Row head;
  if (!ReadRow(head)) return "the file is empty";
  if (head[0].starts_with("\xEF\xBB\xBF")) head[0].erase(0, 3);
  column_index_.assign(kColumns, -1);
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto name = std::find(kNames.begin(), kNames.end(), head[i]);
    if (name == kNames.end()) return fmt::format("unknown column \"{}\"", head[i]);
    auto& index = column_index_[static_cast<std::size_t>(name - kNames.begin())];
    if (index >= 0) return fmt::format("the column {} appears twice", head[i]);
    index = static_cast<int>(i);
  }
  for (std::size_t column = 0; column < kColumns; ++column) {
    if (kRequired[column] && column_index_[column] < 0)
      return fmt::format("the column {} is missing", kNames[column]);
  }
  return {};
}

std::string_view SoldOutCsv::Value(const Row& row, std::size_t column) const {
  const auto index = column_index_[column];
  if (index < 0 || static_cast<std::size_t>(index) >= row.size()) return {};
  return row[static_cast<std::size_t>(index)];
}

bool SoldOutCsv::SameConcert(const Row& a, const Row& b) const {
  if (!Value(a, kConcertId).empty() || !Value(b, kConcertId).empty())
    return Value(a, kConcertId) == Value(b, kConcertId);
  for (const auto column : {kTitle, kArtist, kVenue, kOpenAt, kSoldOutAt}) {
    if (Value(a, column) != Value(b, column)) return false;
  }
  return true;
}

std::optional<std::string> SoldOutCsv::Next() {
  std::vector<Row> rows;
  while (true) {
    if (!ahead_) {
      Row row;
      ahead_line_ = line_ + 1;
      if (!ReadRow(row)) break;
      if (row.size() == 1 && row[0].empty()) continue;  // an empty text line
      ahead_ = std::move(row);
    }
    if (!rows.empty() && !SameConcert(rows.front(), *ahead_)) break;
    if (rows.empty()) starts_.push_back(ahead_line_);
    rows.push_back(*std::move(ahead_));
    ahead_.reset();
  }
  if (rows.empty()) return {};
  return ConcertJson(rows);
}

std::string SoldOutCsv::ConcertJson(const std::vector<Row>& rows) const {
  std::string line;
  JsonWriter json(line);
  const auto& first = rows.front();
  json.Object([&] {
    if (!Value(first, kConcertId).empty()) NumberField(json, "concertId", Value(first, kConcertId));
    for (const auto column : {kTitle, kArtist, kVenue, kOpenAt, kSoldOutAt}) {
      json.Field(kNames[column], Value(first, column));
    }
    json.Array("schedules", [&] {
      for (const auto& row : rows) {
        json.Object([&] {
          if (!Value(row, kScheduleId).empty()) NumberField(json, "id", Value(row, kScheduleId));
          json.Field("concertDate", Value(row, kConcertDate));
          NumberField(json, "seats", Value(row, kSeats));
          if (!Value(row, kScheduleOpenAt).empty()) json.Field("bookingOpenAt", Value(row, kScheduleOpenAt));
          if (!Value(row, kScheduleSoldOutAt).empty())
            json.Field("soldOutAt", Value(row, kScheduleSoldOutAt));
        });
      }
    });
  });
  return line + "\n";
}

std::int64_t SoldOutCsv::LineOf(std::int64_t n) const {
  if (n < 1 || static_cast<std::size_t>(n) > starts_.size()) return n;
  return starts_[static_cast<std::size_t>(n) - 1];
}

}  // namespace maejin::cli
