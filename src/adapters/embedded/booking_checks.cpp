#include "adapters/embedded/booking_checks.h"

#include <fmt/format.h>

namespace maejin::embedded {
namespace {

// `sql` selects the numbers of rows that contradict others.
struct BookingCheck {
  const char* sql;
  const char* row;
  const char* complaint;
};

// Payments have no index of reservations, so each statement reads its tables once.
constexpr BookingCheck kBookingChecks[] = {
    {"SELECT r.number FROM reservations r, json_each(r.seats) s JOIN special_seats b ON "
     "b.schedule_id = r.schedule_id AND b.number = s.value WHERE b.blocked <> 0 AND r.status IN "
     "('HELD', 'PAYING', 'CONFIRMED') LIMIT 1",
     "reservation", "has a blocked seat"},
    {"SELECT p.number FROM payments p LEFT JOIN reservations r ON r.number = p.reservation_number "
     "WHERE p.status = 'CAPTURED' AND r.status IS NOT 'CONFIRMED' LIMIT 1",
     "payment", "is captured, but its reservation is not confirmed"},
    {"SELECT number FROM reservations WHERE status = 'CONFIRMED' AND number NOT IN "
     "(SELECT reservation_number FROM payments WHERE status = 'CAPTURED') LIMIT 1",
     "reservation", "is confirmed without a captured payment"},
    {"SELECT reservation_number FROM payments WHERE status = 'CAPTURED' GROUP BY reservation_number "
     "HAVING count(*) > 1 LIMIT 1",
     "reservation", "is paid twice"},
};

}  // namespace

std::optional<std::string> FirstContradiction(Connection& reader) {
  for (const auto& check : kBookingChecks) {
    auto found = reader.Prepare(check.sql);
    if (found.Step()) return fmt::format("{} {} {}", check.row, found.Int(0), check.complaint);
  }
  return {};
}

}  // namespace maejin::embedded
