// Imported sell-outs: any CSV becomes lines of JSON, or an error sentence; any line of JSON is a history or a
// refusal.
#include <sstream>

#include <boost/json/parse.hpp>

#include "cli/common/sold_out_csv.h"
#include "http/ranking/sold_out_history.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;

void CheckHistory(std::string_view text) {
  const auto history = maejin::http::ParseSoldOutHistory(text);
  if (!history) return;
  Must(!history->concert.title.empty() && !history->schedules.empty());
  for (const auto& schedule : history->schedules) Must(schedule.seats >= 1 && schedule.concert_date.ok());
}

void CheckCsv(const std::string& text) {
  std::istringstream in(text);
  maejin::cli::SoldOutCsv csv(in);
  if (const auto error = csv.ReadHead()) return Must(!error->empty());
  std::int64_t line = 0;
  for (std::int64_t n = 1; const auto json = csv.Next(); ++n) {
    Must(json->ends_with('\n') && json->find('\n') == json->size() - 1);
    Must(csv.LineOf(n) > line);
    line = csv.LineOf(n);
    boost::system::error_code error;
    boost::json::parse(*json, error);
    // Bytes that are not UTF-8 stay as they are; the server refuses them.
    if (error) Must(!maejin::http::ParseSoldOutHistory(*json));
    CheckHistory(*json);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  maejin::fuzz::Input input(data, size);
  const auto kind = input.Byte() % 3;
  const std::string rest(input.Rest());
  if (kind == 0) CheckHistory(rest);
  if (kind == 1) CheckCsv(rest);
  // A valid header row, so that the fuzzer gets to the rows.
  if (kind == 2) {
    CheckCsv("concertId,title,artist,venue,bookingOpenAt,soldOutAt,concertDate,seats,scheduleId\n" + rest);
  }
  return 0;
}
