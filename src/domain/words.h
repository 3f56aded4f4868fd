// The identifiers of the trade. Concerts and schedules are plain numbers; what must not be guessed is 128 bits.
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
// Whole won (or the smallest unit of whatever currency the operator sells in).
using Money = std::int64_t;
// The operator's own name for a customer: 1…128 bytes of printable UTF-8, checked at the door.
using UserId = std::string;
// A waiting room: the concert's id in decimal, or "main".
using RoomId = std::string;
using ReservationId = Id128;

inline constexpr char kMainRoom[] = "main";
inline RoomId RoomOf(ConcertId concert) { return std::to_string(concert); }
// Absent: not a concert's room.
inline std::optional<ConcertId> ConcertOf(std::string_view room) { return ParseInt<ConcertId>(room); }

}  // namespace maejin
