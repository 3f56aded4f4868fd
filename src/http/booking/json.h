// Concerts, seats and reservations as JSON answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "usecase/confirm_payment.h"
#include "usecase/manage_reservation.h"
#include "usecase/read_concerts.h"

namespace maejin::http {

// The answer to reads and changes of a concert: `{id, status, bookingOpenAt, schedules:[{id, concertDate,
// totalSeats, …}], …}`. `ranking` is null until the concert is sold out.
void WriteConcert(std::string& out, const RankedView& shown);
// `{concerts:[…]}`.
void WriteConcerts(std::string& out, const std::vector<RankedView>& concerts);

// Writes the answer to a hold, a read and a cancellation; with the state of the newest payment if there is
// one.
void WriteReservation(std::string& out, const ReservationView& view);
// The date for which a reservation was made, if its date was postponed since. Times are in milliseconds: a
// hold of the millisecond of the postponement counts as earlier.
std::optional<Date> PreviousDate(const ShowView& show, const Reservation& reservation);
// `{seats:[{number, section, row, label, price}], amount}`.
void WriteBestSeats(std::string& out, const BestSeats& best);
// Writes the answer to a payment: CONFIRMED with paidAt, or PAYING.
void WritePayment(std::string& out, const PaymentOutcome& outcome);

// `{scheduleId, version, seats:[{number, section, row, status, price}]}`.
void WriteSeats(std::string& out, const SeatsView& seats);
// `{scheduleId, version, sections:[{name, firstNumber, price, rows:[lengths]}], states:"AHSB…"}`: one letter
// for each seat: A is AVAILABLE, H is HELD, S is ASSIGNED, B is BLOCKED.
void WriteCompactSeats(std::string& out, const SeatsView& seats);
// `{scheduleId, version, changes:{"A":[numbers], "H":[…]}}`: the keys are the letters of the compact form.
void WriteCompactChanges(std::string& out, ScheduleId schedule, const SeatChanges& changes);
// `{scheduleId, version, changes:[{number, status}]}`.
void WriteSeatChanges(std::string& out, ScheduleId schedule, const SeatChanges& changes);

}  // namespace maejin::http
