#include "base/time.h"

#include <array>
#include <cstring>

#include "base/ascii.h"

namespace maejin {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::floor;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;

// Takes exactly `digits` decimal digits off the front of `text`.
std::optional<int> TakeNumber(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return {};
  int number = 0;
  for (char c : text.substr(0, digits)) {
    if (!IsDigit(c)) return {};
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Date> TakeDate(std::string_view& text) {
  const auto y = TakeNumber(text, 4);
  if (!y || !TakeChar(text, '-')) return {};
  const auto m = TakeNumber(text, 2);
  if (!m || !TakeChar(text, '-')) return {};
  const auto d = TakeNumber(text, 2);
  if (!d) return {};
  const Date date{year{*y}, month{static_cast<unsigned>(*m)}, day{static_cast<unsigned>(*d)}};
  if (!date.ok()) return {};
  return date;
}

// The fraction after the seconds, if any, cut to milliseconds.
std::optional<int> TakeFraction(std::string_view& text) {
  if (!TakeChar(text, '.')) return 0;
  int millis = 0;
  int digits = 0;
  while (!text.empty() && IsDigit(text.front())) {
    if (digits < 3) millis = millis * 10 + (text.front() - '0');
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) return {};
  for (; digits < 3; ++digits) millis *= 10;
  return millis;
}

std::optional<std::chrono::minutes> TakeOffset(std::string_view& text) {
  if (TakeChar(text, 'Z') || TakeChar(text, 'z')) return std::chrono::minutes{0};
  int sign = 0;
  if (TakeChar(text, '+')) sign = 1;
  if (sign == 0 && TakeChar(text, '-')) sign = -1;
  if (sign == 0) return {};
  const auto hours = TakeNumber(text, 2);
  if (!hours || !TakeChar(text, ':')) return {};
  const auto minutes = TakeNumber(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return {};
  return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

// Written by hand for speed: most responses contain times.
void PutTwoDigits(char* at, unsigned number) {
  static constexpr auto kTwoDigits = [] {
    std::array<std::array<char, 2>, 100> two{};
    for (std::size_t i = 0; i < two.size(); ++i)
      two[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    return two;
  }();
  std::memcpy(at, kTwoDigits[number].data(), 2);
}

// The digits of "2025-10-31"; the caller has written the dashes.
void PutDate(char* at, Date date) {
  const auto year_of = static_cast<unsigned>(static_cast<int>(date.year()));
  PutTwoDigits(at, year_of / 100 % 100);
  PutTwoDigits(at + 2, year_of % 100);
  PutTwoDigits(at + 5, static_cast<unsigned>(date.month()));
  PutTwoDigits(at + 8, static_cast<unsigned>(date.day()));
}

}  // namespace

std::string FormatDate(Date date) {
  std::string text(10, '-');
  PutDate(text.data(), date);
  return text;
}

std::optional<Date> ParseDate(std::string_view text) {
  const auto date = TakeDate(text);
  if (!text.empty()) return {};
  return date;
}

std::string FormatTime(Time time) {
  std::string text;
  AppendTime(text, time);
  return text;
}

void AppendTime(std::string& out, Time time) {
  const auto day_start = floor<days>(time);
  const auto ms = static_cast<unsigned>((time - day_start).count());
  char text[] = "0000-00-00T00:00:00.000Z";
  PutDate(text, Date{day_start});
  PutTwoDigits(text + 11, ms / 3'600'000);
  PutTwoDigits(text + 14, ms / 60'000 % 60);
  PutTwoDigits(text + 17, ms / 1000 % 60);
  text[20] = static_cast<char>('0' + ms % 1000 / 100);
  PutTwoDigits(text + 21, ms % 100);
  out.append(text, sizeof text - 1);
}

std::optional<Time> ParseTime(std::string_view text) {
  const auto date = TakeDate(text);
  if (!date || !(TakeChar(text, 'T') || TakeChar(text, 't'))) return {};
  const auto hour = TakeNumber(text, 2);
  if (!hour || !TakeChar(text, ':')) return {};
  const auto minute = TakeNumber(text, 2);
  if (!minute || !TakeChar(text, ':')) return {};
  const auto second = TakeNumber(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return {};
  const auto millis = TakeFraction(text);
  if (!millis) return {};
  const auto offset = TakeOffset(text);
  if (!offset || !text.empty()) return {};
  const Time time = Time{sys_days{*date}.time_since_epoch()} + std::chrono::hours{*hour} +
                    std::chrono::minutes{*minute} + Seconds{*second} + Millis{*millis} - *offset;
  if (time < Time{} || time >= Time{sys_days{year{10000} / 1 / 1}.time_since_epoch()}) return {};
  return time;
}

}  // namespace maejin
