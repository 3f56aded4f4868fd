// Imported seat plans: the pieces of a body do not depend on how it is split into reads, and an accepted plan
// is within the limits of a date.
#include "http/booking/seat_plan.h"
#include "http/json_pieces.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
using maejin::http::JsonPieces;

struct Cut {
  std::vector<JsonPieces::Piece> pieces;
  bool whole = false;
};

Cut CutInSteps(std::string_view text, std::size_t step, JsonPieces::Cut kind) {
  Cut out;
  JsonPieces cutter(200, kind);
  for (std::size_t at = 0; at < text.size(); at += step) cutter.Feed(text.substr(at, step), out.pieces);
  out.whole = cutter.Finish(out.pieces);
  return out;
}

void CheckSeats(const std::vector<maejin::SeatNumber>& numbers, std::int64_t seats) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Must(numbers[i] >= 1 && numbers[i] <= seats && (i == 0 || numbers[i - 1] < numbers[i]));
  }
}

void CheckPlan(std::string_view text) {
  const auto plan = maejin::http::ParseSeatPlan(text, 1000);
  if (!plan) return;
  Must(plan->date.ok());
  std::int64_t seats = 0;
  for (const auto& section : plan->sections) {
    Must(section.Seats() > 0 && section.price >= 0);
    seats += section.Seats();
  }
  Must(seats >= 1 && seats <= maejin::kMaxSeatsPerSchedule);
  CheckSeats(plan->blocked, seats);
  CheckSeats(plan->wheelchair, seats);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto kind : {JsonPieces::Cut::kLines, JsonPieces::Cut::kObjects}) {
    const auto whole = CutInSteps(text, text.size() + 1, kind);
    const auto split = CutInSteps(text, 3, kind);
    Must(whole.whole == split.whole && whole.pieces.size() == split.pieces.size());
    for (std::size_t i = 0; i < whole.pieces.size(); ++i) {
      const auto& piece = whole.pieces[i];
      Must(piece.text == split.pieces[i].text && piece.line == split.pieces[i].line);
      Must(piece.text.size() <= 200 && piece.too_long == split.pieces[i].too_long);
      CheckPlan(piece.text);
    }
  }
  CheckPlan(text);
  return 0;
}
