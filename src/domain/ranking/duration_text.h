// A duration as text, exact to the millisecond.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace maejin {

enum class DurationLanguage : std::uint8_t { kEnglish, kKorean, kJapanese, kChinese };

// "0.1s", "5m 0s", "1h 0m 0.25s", "107d 0h 0m 0s"; "0.1초", "5분 0초", "1시간 0분 0.25초";
// "5分0秒"; "5 分 0 秒".
// Precondition: not negative.
std::string FormatDuration(Millis duration, DurationLanguage language);

}  // namespace maejin
