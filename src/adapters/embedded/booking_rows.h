// The rows of schema/0002_booking.sql that the booking store writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/embedded/write_set.h"
#include "domain/booking/booking_event.h"
#include "domain/booking/concert.h"

namespace maejin::embedded {

void AddConcertRow(WriteSet& rows, const Concert& concert);
void UpdateConcertRow(WriteSet& rows, const Concert& concert);
void AddScheduleRows(WriteSet& rows, ConcertId concert, const Schedule& schedule, const SchedulePlan& plan);
void UpdateScheduleRow(WriteSet& rows, const Schedule& schedule);
void AddSpecialSeatRow(WriteSet& rows, ScheduleId schedule, SeatNumber seat, bool blocked, bool wheelchair);

// Reservations and payments, added or changed.
void AddRow(WriteSet& rows, const Reservation& reservation);
void UpdateRow(WriteSet& rows, const Reservation& reservation);
void AddRow(WriteSet& rows, const Payment& payment);
void UpdateRow(WriteSet& rows, const Payment& payment);

// The rows of a sell-out: the permanent row and the outbox row. Progress has no rows of its own: it is
// counted from the reservations.
void AddFactRows(WriteSet& rows, const BookingEvent& event);
// The outbox row of a refund that is due.
void AddRefundRow(WriteSet& rows, std::uint64_t event_id, ConcertId concert, const Payment& payment);

inline constexpr std::string_view kNextEvent = "next_event";
void SetCounterRow(WriteSet& rows, std::string_view name, std::uint64_t value);

// JSON arrays of numbers, as stored: "[1,2]". The reader skips everything but digits.
void AppendNumbers(std::string& out, const std::vector<std::int32_t>& numbers);
std::vector<std::int32_t> ReadNumbers(std::string_view text);

}  // namespace maejin::embedded
