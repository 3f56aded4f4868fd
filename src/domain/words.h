// The identifiers of concerts, seats, customers and rooms. Ids that must not be guessable have 128 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/ids.h"
#include "base/numbers.h"

namespace maejin {

using ConcertId = std::int64_t;
using ScheduleId = std::int64_t;
// A seat's number, unique within its schedule, from 1.
using SeatNumber = std::int32_t;
// In the smallest unit of the operator's currency (won).
using Money = std::int64_t;
// The operator's id for a customer: 1…128 bytes of printable UTF-8, validated by src/http.
using UserId = std::string;
// A waiting room: the concert's id in decimal, "main", or a name that the operator chose.
using RoomId = std::string;
using ReservationId = Id128;

inline constexpr char kMainRoom[] = "main";
inline RoomId RoomOf(ConcertId concert) { return std::to_string(concert); }
// Absent: not a concert's room. "007" is none: each concert has one room and one page.
inline std::optional<ConcertId> ConcertOf(std::string_view room) {
  const auto concert = ParseInt<ConcertId>(room);
  return concert && RoomOf(*concert) == room ? concert : std::nullopt;
}

inline constexpr std::size_t kMaxRoomName = 63;
// A name that an operator may give a room: [a-z][a-z0-9-]{0,62}, but not "main".
inline bool IsOwnRoom(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return letter(c) || IsDigit(c) || c == '-'; };
  return !name.empty() && name.size() <= kMaxRoomName && letter(name.front()) && name != kMainRoom &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace maejin
