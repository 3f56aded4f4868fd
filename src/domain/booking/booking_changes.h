// What one transition of a concert changed: rows for the store, facts for the event feed.
#pragma once

#include <variant>
#include <vector>

#include "domain/booking/booking_event.h"
#include "domain/booking/payment.h"
#include "domain/booking/reservation.h"

namespace maejin {

// What a transition did, in order. Pointers stay valid as long as the concert.
struct BookingChanges {
  struct Row {
    std::variant<const Reservation*, const Payment*> record;
    bool added = false;  // a new row; otherwise a changed one
  };
  std::vector<Row> rows;
  std::vector<decltype(BookingEvent::fact)> facts;
  std::vector<const Payment*> refunds_due;  // became REFUND_DUE

  bool empty() const { return rows.empty() && facts.empty(); }
  void Clear();
};

// The fact that a reservation's seats were held (`sign` +1) or came back (-1). `date`: the present date of
// its schedule.
inline ProgressChanged ProgressOf(const Reservation& reservation, Date date, std::int64_t sign) {
  return {reservation.schedule, date, sign * static_cast<std::int64_t>(reservation.seats.size()),
          reservation.held_at};
}

}  // namespace maejin
