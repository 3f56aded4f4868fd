// The order of sold-outs, for every board, store and trim.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "domain/booking/booking_event.h"

namespace maejin {

// The sort key. For a concert: dates, opening and id. For a schedule: dates is 0, then its own start and id.
struct SoldOutKey {
  Millis duration{};  // never negative
  std::int64_t dates = 0;
  Time started_at;
  std::int64_t id = 0;

  friend bool operator==(const SoldOutKey&, const SoldOutKey&) = default;
};

SoldOutKey KeyOf(const ConcertSoldOut& sold_out);
SoldOutKey KeyOf(const ScheduleSoldOut& sold_out);

// The unit of durations on a board. Durations that are equal in this unit are a tie.
enum class DurationUnit : std::uint8_t { kMillis, kSeconds };
std::int64_t InUnit(Millis duration, DurationUnit unit);

// Shorter first; then more dates; then the earlier start; then the smaller id. This is a total order. Only
// durations are rounded down, to `unit`.
std::strong_ordering Compare(const SoldOutKey& a, const SoldOutKey& b, DurationUnit unit);
inline bool RanksBefore(const SoldOutKey& a, const SoldOutKey& b, DurationUnit unit) {
  return Compare(a, b, unit) < 0;
}

// The score of the composite board, a decimal number of any length without leading zeros. Its digits are
// those of the whole seconds, then two digits of 100 minus the dates (00 from 100 dates on), then ten digits
// of the start in seconds since 1970. 300 s, 5 dates and 2025-01-01T00:00Z give "300951735689600". Compare()
// orders equal scores.
std::string CompositeScore(const SoldOutKey& key);
bool SameCompositeScore(const SoldOutKey& a, const SoldOutKey& b);

}  // namespace maejin
