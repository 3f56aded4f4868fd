// Texts in rows of MariaDB: numbers and outbox payloads are read back as they were written, and any other
// text is read or refused.
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/outbox.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;

void CheckNumbers(maejin::fuzz::Input input) {
  std::vector<std::int32_t> numbers;
  while (!input.empty()) numbers.push_back(static_cast<std::int32_t>(input.Number() & INT32_MAX));
  Must(maejin::mysql::ReadNumbers(maejin::mysql::NumbersText(numbers)) == numbers);
}

void CheckPayload(std::string_view kind, std::string_view payload) {
  const auto fact = maejin::mysql::ParsePayload(kind, payload);
  if (!fact) return;
  // What was read is written to a text that is read the same.
  const auto written = maejin::mysql::PayloadOf(*fact);
  const auto again = maejin::mysql::ParsePayload(kind, written);
  Must(again && maejin::mysql::PayloadOf(*again) == written);
}

void CheckFacts(maejin::fuzz::Input input) {
  maejin::ConcertSoldOut concert;
  concert.concert = input.Number();
  concert.seats = input.Number();
  concert.title = "t" + std::to_string(input.Number());
  const auto read = maejin::mysql::ParsePayload("concert-sold-out", maejin::mysql::PayloadOf(concert));
  Must(read && maejin::mysql::PayloadOf(*read) == maejin::mysql::PayloadOf(concert));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  maejin::mysql::ReadNumbers(text);
  CheckNumbers({data, size});
  for (const char* kind : {"progress", "schedule-sold-out", "concert-sold-out", "another"}) {
    CheckPayload(kind, text);
  }
  CheckFacts({data, size});
  return 0;
}
