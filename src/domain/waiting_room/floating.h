// A room that floats: its entries per minute follow the health of the site behind it, between a minimum and a
// maximum. Pure decisions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "domain/waiting_room/site_settings.h"

namespace maejin {

// The load of a site in percent of what it can bear. Above 100: too much.
using SiteLoad = std::uint32_t;

// Up to this load, the rate of a room rises.
inline constexpr SiteLoad kEasyLoad = 70;
// Above this load, the rate falls. Between kEasyLoad and kHighLoad it stays.
inline constexpr SiteLoad kHighLoad = 90;
// A rate changes at most once in this time.
inline constexpr Seconds kFloatEvery{5};
// A site without a `Maejin-Load` header that needs this long for an answer has a load of 100.
inline constexpr Millis kFullLoadAnswer{2000};

// The answer of a site to one probe.
struct ProbeAnswer {
  int status_code = 0;  // 0: none
  Millis duration{0};
  std::optional<SiteLoad> load = {};  // from the header `Maejin-Load`
};

// The value of a `Maejin-Load` header: a whole number of percent from 0 to 1000. Absent: the text is no such
// number.
std::optional<SiteLoad> ParseSiteLoad(std::string_view text);

// The load of a site by its answer. Without an answer, or with a status of 500 or above, the load is at least
// 100. Otherwise the header gives the load, or, without a header, the duration of the answer.
SiteLoad LoadOf(const ProbeAnswer& answer);

// The next rate: a twentieth of the range more up to kEasyLoad, a third less above kHighLoad; always within
// the range. Because the rate rises slowly and falls quickly, it settles below the limit of the site. Absent
// `rate`: the room begins to float, at its minimum.
std::uint32_t NextRate(std::optional<std::uint32_t> rate, const Floating& floating, SiteLoad load);

// `rate`, limited to the range; the minimum if `rate` is absent.
std::uint32_t ClampRate(std::optional<std::uint32_t> rate, const Floating& floating);

}  // namespace maejin
