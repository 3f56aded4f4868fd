// Past sell-outs as CSV (RFC 4180), one date of a concert a line, turned into the NDJSON that the import
// takes. Lines of one concert stand together: same concertId, or, without ids, same title, artist, venue and
// times.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maejin::cli {

// concertId,title,artist,venue,bookingOpenAt,soldOutAt,scheduleId,concertDate,seats,scheduleOpenAt,scheduleSoldOutAt
// in any order; concertId, scheduleId, scheduleOpenAt and scheduleSoldOutAt may be left out.
class SoldOutCsv {
 public:
  explicit SoldOutCsv(std::istream& in) : in_(in) {}

  // Reads the head. The error is a sentence: a column that is missing, unknown or there twice.
  std::optional<std::string> ReadHead();
  // The next concert as one line of JSON, with its line break; absent at the end. A value that is no number
  // where one belongs is passed on as text: the server refuses it by name.
  std::optional<std::string> Next();
  // The line of the file at which concert `n` (from 1) began: the server counts concerts, the reader lines.
  std::int64_t LineOf(std::int64_t n) const;

 private:
  using Row = std::vector<std::string>;

  bool ReadRow(Row& row);
  std::string_view Value(const Row& row, std::size_t column) const;
  bool SameConcert(const Row& a, const Row& b) const;
  std::string ConcertJson(const std::vector<Row>& rows) const;

  std::istream& in_;
  std::vector<int> places_;  // of each known column in a row, -1: absent
  std::int64_t line_ = 0;
  std::optional<Row> ahead_;  // read, not yet given
  std::int64_t ahead_line_ = 0;
  std::vector<std::int64_t> starts_;
};

}  // namespace maejin::cli
