// The numbers of a rehearsal: flags of `maejin rehearse`, fields of POST /api/v1/admin/rehearsals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace maejin {

struct RehearsalNumber {
  std::string_view flag;   // "opens-in", given as --opens-in
  std::string_view field;  // "opensInSeconds"
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view fallback = {};  // empty: none
};

enum class RehearsalKey : std::uint8_t {
  kFans,
  kSeats,
  kDates,
  kCapacity,
  kOpensIn,
  kArriveWithin,
  kThinkTime,
  kHold,
  kPatience,
  kConnections,
  kSeed,
};

inline constexpr std::array<RehearsalNumber, 11> kRehearsalNumbers = {{
    {"fans", "fans", 1, 50'000, "500"},
    {"seats", "seats", 1, 50'000, "300"},
    {"dates", "dates", 1, 100, "1"},
    {"capacity", "capacity", 1, 50'000, "100"},
    {"opens-in", "opensInSeconds", 0, 3600, "5"},
    {"arrive-within", "arriveWithinSeconds", 0, 3600, "10"},
    {"think-ms", "thinkMs", 0, 60'000, "1500"},
    {"hold-seconds", "holdSeconds", 1, 3600, "10"},
    {"patience", "patienceSeconds", 1, 86'400, "300"},
    {"connections", "connections", 1, 50'000},
    {"seed", "seed", 0, INT32_MAX, "1"},
}};

constexpr const RehearsalNumber& NumberOf(RehearsalKey key) {
  return kRehearsalNumbers[static_cast<std::size_t>(key)];
}

// Every date of a rehearsal has the same number of seats.
constexpr bool AreSeatsEqual(std::int64_t seats, std::int64_t dates) { return seats % dates == 0; }

// A value for each of kRehearsalNumbers.
class RehearsalNumbers {
 public:
  std::optional<std::int64_t>& operator[](RehearsalKey key) { return values_[static_cast<std::size_t>(key)]; }
  const std::optional<std::int64_t>& operator[](RehearsalKey key) const {
    return values_[static_cast<std::size_t>(key)];
  }

 private:
  std::array<std::optional<std::int64_t>, kRehearsalNumbers.size()> values_ = {};
};

}  // namespace maejin
