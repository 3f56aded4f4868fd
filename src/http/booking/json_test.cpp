#include "http/booking/json.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

TEST(BookingJsonTest, ReservationOfTheMillisecondOfThePostponementHasThePreviousDate) {
  const auto postponed_at = TimeFromMillis(1'000);
  const Date before = *ParseDate("2036-05-01");
  ShowView show;
  Reservation reservation;
  reservation.held_at = postponed_at;
  EXPECT_FALSE(PreviousDate(show, reservation)) << "not postponed";
  show.previous_date = before;
  show.postponed_at = postponed_at;
  EXPECT_EQ(PreviousDate(show, reservation), before);
  reservation.held_at = postponed_at + Millis{1};
  EXPECT_FALSE(PreviousDate(show, reservation)) << "held for the new date";
}

}  // namespace
}  // namespace maejin::http
