#include "domain/booking/reservation_code.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace maejin {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kLength = 8;
constexpr std::uint64_t kHalf = (1u << 20) - 1;
// A Feistel network is a permutation for any round function. Codes that were given out depend on these
// numbers: they never change.
constexpr std::array<std::uint32_t, 4> kRounds = {0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f};

std::uint64_t Mix(std::uint64_t half, std::uint32_t round) {
  auto mixed = (half ^ round) * 0xff51afd7ed558ccdULL;
  mixed ^= mixed >> 33;
  mixed *= 0xc4ceb9fe1a85ec53ULL;
  return (mixed >> 29) & kHalf;
}

std::optional<std::uint64_t> DigitOf(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (c == 'O') c = '0';
  if (c == 'I' || c == 'L') c = '1';
  const auto found = kDigits.find(c);
  if (found == std::string_view::npos) return {};
  return found;
}

}  // namespace

std::string CodeOf(std::int64_t number) {
  MAEJIN_CHECK(number >= 0 && number >> 40 == 0, "row numbers of reservations have 40 bits");
  auto left = static_cast<std::uint64_t>(number) >> 20;
  auto right = static_cast<std::uint64_t>(number) & kHalf;
  for (const auto round : kRounds) left = std::exchange(right, left ^ Mix(right, round));
  const auto mixed = left << 20 | right;
  std::string code(kLength + 1, '-');
  for (std::size_t i = 0; i < kLength; ++i)
    code[i < kLength / 2 ? i : i + 1] = kDigits[mixed >> (5 * (kLength - 1 - i)) & 31];
  return code;
}

std::optional<std::int64_t> NumberOfCode(std::string_view code) {
  std::uint64_t mixed = 0;
  std::size_t digits = 0;
  for (const char c : code) {
    if (c == '-') continue;
    const auto digit = DigitOf(c);
    if (!digit || ++digits > kLength) return {};
    mixed = mixed << 5 | *digit;
  }
  if (digits != kLength) return {};
  auto left = mixed >> 20;
  auto right = mixed & kHalf;
  for (auto round = kRounds.rbegin(); round != kRounds.rend(); ++round)
    right = std::exchange(left, right ^ Mix(left, *round));
  return static_cast<std::int64_t>(left << 20 | right);
}

}  // namespace maejin
