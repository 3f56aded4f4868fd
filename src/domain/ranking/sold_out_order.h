// The order of sold-outs, written once: every board, every store and every trim asks here.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "domain/booking/booking_event.h"

namespace maejin {

// What decides a place. Of a concert: its number of dates, its opening, its id. Of a schedule: no dates (all
// alike), its own start, its id.
struct SoldOutKey {
  Millis duration{};  // never negative
  std::int64_t dates = 0;
  Time started_at;
  std::int64_t id = 0;

  friend bool operator==(const SoldOutKey&, const SoldOutKey&) = default;
};

SoldOutKey KeyOf(const ConcertSoldOut& sold_out);
SoldOutKey KeyOf(const ScheduleSoldOut& sold_out);

// What a board measures a duration in. Two durations that are equal in the board's unit are a tie.
enum class DurationUnit : std::uint8_t { kMillis, kSeconds };
std::int64_t InUnit(Millis duration, DurationUnit unit);

// Shorter first; then more dates; then the earlier start; then the smaller id. Total and exact: no score, no
// rounding.
std::strong_ordering Compare(const SoldOutKey& a, const SoldOutKey& b, DurationUnit unit);
inline bool RanksBefore(const SoldOutKey& a, const SoldOutKey& b, DurationUnit unit) {
  return Compare(a, b, unit) < 0;
}

// The score of the composite board, a decimal number of any length: the whole seconds, 100 − dates in two
// digits (100 dates and more: 00), the start in epoch seconds in ten digits; no leading zeros. 300 s, 5
// dates, 2025-01-01T00:00Z: "300951735689600". Equal scores are no tie yet: Compare() decides.
std::string CompositeScore(const SoldOutKey& key);
bool SameCompositeScore(const SoldOutKey& a, const SoldOutKey& b);

}  // namespace maejin
