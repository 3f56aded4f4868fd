#include "domain/waiting_room/floating.h"

#include <algorithm>

#include "base/numbers.h"

namespace maejin {
namespace {

constexpr SiteLoad kFull = 100;
constexpr SiteLoad kMaxLoad = 1000;

}  // namespace

std::optional<SiteLoad> ParseSiteLoad(std::string_view text) {
  const auto number = ParseInt<std::int64_t>(text);
  if (!number || *number < 0 || *number > kMaxLoad) return {};
  return static_cast<SiteLoad>(*number);
}

SiteLoad LoadOf(const ProbeAnswer& answer) {
  if (answer.status_code == 0 || answer.status_code >= 500)
    return std::max(kFull, answer.load.value_or(kFull));
  if (answer.load) return *answer.load;
  const auto share =
      std::clamp<std::int64_t>(answer.duration.count() * kFull / kFullLoadAnswer.count(), 0, kFull);
  return static_cast<SiteLoad>(share);
}

std::uint32_t ClampRate(std::optional<std::uint32_t> rate, const Floating& floating) {
  return std::clamp(rate.value_or(floating.min_per_minute), floating.min_per_minute, floating.max_per_minute);
}

std::uint32_t NextRate(std::optional<std::uint32_t> rate, const Floating& floating, SiteLoad load) {
  const auto now = ClampRate(rate, floating);
  if (load > kHighLoad) return std::max(floating.min_per_minute, now - (now + 2) / 3);
  if (load > kEasyLoad) return now;
  const auto step = std::max<std::uint32_t>((floating.max_per_minute - floating.min_per_minute) / 20, 1);
  return floating.max_per_minute - now < step ? floating.max_per_minute : now + step;
}

}  // namespace maejin
