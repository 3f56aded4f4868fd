// Whether a waiter can still get a seat, estimated from the stock.
#pragma once

#include <cstdint>
#include <string_view>

namespace maejin {

enum class Outlook : std::uint8_t {
  kGood,      // more seats are AVAILABLE than places are ahead
  kUnlikely,  // not more seats are AVAILABLE than places are ahead
  kSoldOut,   // no seat is AVAILABLE or held
};

constexpr Outlook OutlookFor(std::int64_t available, std::int64_t held, std::int64_t ahead) {
  if (available + held <= 0) return Outlook::kSoldOut;
  return ahead < available ? Outlook::kGood : Outlook::kUnlikely;
}

constexpr std::string_view Name(Outlook outlook) {
  switch (outlook) {
    case Outlook::kGood:
      return "good";
    case Outlook::kUnlikely:
      return "unlikely";
    case Outlook::kSoldOut:
      return "sold-out";
  }
  return "good";
}

}  // namespace maejin
