// Tells whether a ticket is valid, for the box office and the entrance.
#pragma once

#include <optional>
#include <string>

#include "base/key_ring.h"
#include "base/task.h"
#include "store/booking_operations.h"
#include "usecase/manage_reservation.h"

namespace maejin {

struct TicketReport {
  // False: cancelled or refunded.
  bool valid = false;
  ReservationView view;
  // The seat that the QR code names. Absent: the text was a reservation's code, which names no seat.
  std::optional<SeatNumber> seat = {};
};

// Thread-safe. The references outlive it.
class CheckTicket {
 public:
  CheckTicket(BookingStore& bookings, const BookingOperations& operations, const KeyRing& keys)
      : bookings_(bookings), operations_(operations), keys_(keys) {}

  // `text`: the code of a reservation, or the text of a QR code. Reads durable state. Refuses: kUnknownTicket
  // (no such booking, never paid, or a wrong signature), kUnavailable.
  Task<Outcome<TicketReport>> operator()(std::string text) const;

 private:
  BookingStore& bookings_;
  const BookingOperations& operations_;
  const KeyRing& keys_;
};

}  // namespace maejin
