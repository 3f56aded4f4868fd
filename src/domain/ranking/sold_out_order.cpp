#include "domain/ranking/sold_out_order.h"

#include <algorithm>

#include <fmt/format.h>

namespace maejin {
namespace {

std::int64_t DatesDigits(const SoldOutKey& key) { return std::max<std::int64_t>(100 - key.dates, 0); }

std::int64_t StartSeconds(const SoldOutKey& key) {
  return std::chrono::floor<Seconds>(key.started_at).time_since_epoch().count();
}

}  // namespace

SoldOutKey KeyOf(const ConcertSoldOut& sold_out) {
  return {sold_out.sold_out_at - sold_out.booking_open_at, sold_out.dates, sold_out.booking_open_at,
          sold_out.concert};
}

SoldOutKey KeyOf(const ScheduleSoldOut& sold_out) {
  return {sold_out.sold_out_at - sold_out.started_at, 0, sold_out.started_at, sold_out.schedule};
}

std::int64_t InUnit(Millis duration, DurationUnit unit) {
  return unit == DurationUnit::kMillis ? duration.count() : duration.count() / 1000;
}

std::strong_ordering Compare(const SoldOutKey& a, const SoldOutKey& b, DurationUnit unit) {
  if (const auto order = InUnit(a.duration, unit) <=> InUnit(b.duration, unit); order != 0) return order;
  if (const auto order = b.dates <=> a.dates; order != 0) return order;
  if (const auto order = a.started_at <=> b.started_at; order != 0) return order;
  return a.id <=> b.id;
}

std::string CompositeScore(const SoldOutKey& key) {
  auto digits = fmt::format("{}{:02}{:010}", InUnit(key.duration, DurationUnit::kSeconds), DatesDigits(key),
                            StartSeconds(key));
  const auto first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

bool SameCompositeScore(const SoldOutKey& a, const SoldOutKey& b) {
  return InUnit(a.duration, DurationUnit::kSeconds) == InUnit(b.duration, DurationUnit::kSeconds) &&
         DatesDigits(a) == DatesDigits(b) && StartSeconds(a) == StartSeconds(b);
}

}  // namespace maejin
