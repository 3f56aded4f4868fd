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

// Writes added or changed reservations and payments.
void AddRow(WriteSet& rows, const Reservation& reservation);
void UpdateRow(WriteSet& rows, const Reservation& reservation);
void AddRow(WriteSet& rows, const Payment& payment);
void UpdateRow(WriteSet& rows, const Payment& payment);

// Adds the permanent row of a sell-out. Progress has no rows of its own: it is counted from the reservations.
void AddFactRows(WriteSet& rows, const BookingEvent& event);
// The same for a concert that is on no board: no event follows.
void AddUnrankedRow(WriteSet& rows, const decltype(BookingEvent::fact)& fact);
// Copies the concert's names to the rows of its sell-out.
void UpdateSoldOutNames(WriteSet& rows, const Concert& concert);
// Records that the feed has the opening of the concert.
void AddOpeningRow(WriteSet& rows, ConcertId concert);

inline constexpr std::string_view kNextEvent = "next_event";
// Stores the reservation's new user, and removes the idempotency key of its hold.
void EraseRow(WriteSet& rows, const Reservation& reservation);
// The user's admissions end and lose their user.
void EraseAdmissionRows(WriteSet& rows, std::string_view user, Time now);
void SetCounterRow(WriteSet& rows, std::string_view name, std::uint64_t value);

// JSON arrays of numbers, as stored: "[1,2]". The reader skips everything but digits.
void AppendNumbers(std::string& out, const std::vector<std::int32_t>& numbers);
std::vector<std::int32_t> ReadNumbers(std::string_view text);

}  // namespace maejin::embedded
