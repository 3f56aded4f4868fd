// The identifiers of concerts, seats, customers and rooms. Ids that must not be guessable have 128 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
// A waiting room: the concert's id in decimal, or "main".
using RoomId = std::string;
using ReservationId = Id128;

inline constexpr char kMainRoom[] = "main";
inline RoomId RoomOf(ConcertId concert) { return std::to_string(concert); }
// Absent: not a concert's room.
inline std::optional<ConcertId> ConcertOf(std::string_view room) { return ParseInt<ConcertId>(room); }

}  // namespace maejin
