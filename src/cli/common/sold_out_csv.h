// Converts past sell-outs from CSV (RFC 4180), one row per schedule, to the NDJSON of the import. Adjacent
// rows belong to one concert if they have the same concertId, or, without ids, the same title, artist, venue
// and times.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maejin::cli {

// Columns, in any order: title, artist, venue, bookingOpenAt, soldOutAt, concertDate, seats; optional:
// concertId, scheduleId, scheduleOpenAt, scheduleSoldOutAt.
class SoldOutCsv {
 public:
  explicit SoldOutCsv(std::istream& in) : in_(in) {}

  // Reads the header row. Returns an error sentence if a column is missing, unknown or repeated.
  std::optional<std::string> ReadHead();
  // The next concert as one text line of JSON, with its line break; absent at the end. An invalid number is
  // passed on as text, so that the server's refusal names the field.
  std::optional<std::string> Next();
  // The number of the text line at which concert `n` (from 1) begins. The server knows only `n`.
  std::int64_t LineOf(std::int64_t n) const;

 private:
  using Row = std::vector<std::string>;

  bool ReadRow(Row& row);
  std::string_view Value(const Row& row, std::size_t column) const;
  bool SameConcert(const Row& a, const Row& b) const;
  std::string ConcertJson(const std::vector<Row>& rows) const;

  std::istream& in_;
  std::vector<int> column_index_;  // per known column: its index in a row, or -1
  std::int64_t line_ = 0;
  std::optional<Row> ahead_;  // read ahead, not yet returned
  std::int64_t ahead_line_ = 0;
  std::vector<std::int64_t> starts_;
};

}  // namespace maejin::cli
