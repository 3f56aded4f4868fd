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

// Up to this load a room admits more…
inline constexpr SiteLoad kEasyLoad = 70;
// … and above this one less. Between the two the rate stays.
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

// The value of a `Maejin-Load` header: a whole number of percent from 0 to 1000. Absent: it is none.
std::optional<SiteLoad> ParseSiteLoad(std::string_view text);

// The load that an answer shows. No answer, and a status of 500 or above, is at least 100. Otherwise the
// header counts, or, without one, the duration of the answer.
SiteLoad LoadOf(const ProbeAnswer& answer);

// The next rate: a twentieth of the range more up to kEasyLoad, a third less above kHighLoad; always within
// the range. A slow rise and a quick fall settle below the limit of the site. Absent `rate`: the room begins
// to float, at its minimum.
std::uint32_t NextRate(std::optional<std::uint32_t> rate, const Floating& floating, SiteLoad load);

// The rate within the range; absent: the minimum.
std::uint32_t ClampRate(std::optional<std::uint32_t> rate, const Floating& floating);

}  // namespace maejin
