// Is it worth waiting? An honest word from the stock.
#pragma once

#include <cstdint>
#include <string_view>

namespace maejin {

enum class Outlook : std::uint8_t {
  kGood,
  kUnlikely,  // more people ahead than seats that are left or may come back
  kSoldOut,   // every seat is paid
};

// `held` seats may come back: all of them are counted, so that nobody is sent away too early.
constexpr Outlook OutlookFor(std::int64_t available, std::int64_t held, std::int64_t ahead) {
  if (available + held <= 0) return Outlook::kSoldOut;
  return ahead >= available + held ? Outlook::kUnlikely : Outlook::kGood;
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
