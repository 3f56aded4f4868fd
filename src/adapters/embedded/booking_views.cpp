#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {
namespace {

ScheduleView ViewOfSchedule(const Schedule& schedule, Time now) {
  const auto sales_end_at = SalesEndOf(schedule);
  return {schedule.id,
          schedule.date,
          schedule.starts_at,
          schedule.booking_open_at,
          schedule.created_at,
          schedule.cancelled,
          schedule.sold_out_at,
          schedule.seats.counts(),
          sales_end_at,
          now >= sales_end_at,
          schedule.previous_date,
          schedule.postponed_at,
          schedule.seats.layout()->LowestPrice()};
}

}  // namespace

ConcertView ViewOf(const Concert& concert, Time now) {
  ConcertView view;
  view.id = concert.id();
  view.details = concert.details();
  view.status = concert.StatusAt(now);
  view.created_at = concert.created_at();
  view.sold_out_at = concert.sold_out_at();
  view.counts = concert.counts();
  view.life = concert.life();
  view.closed = concert.closed();
  for (const auto& schedule : concert.schedules()) view.schedules.push_back(ViewOfSchedule(schedule, now));
  return view;
}

PaymentOutcome OutcomeOf(const Sale& sale, Concert::ReservationIndex index) {
  const auto& reservation = sale.concert.reservation(index);
  PaymentOutcome outcome{reservation, {}, sale.concert.details().room};
  if (reservation.payment != Concert::kNone) outcome.payment = sale.concert.payment(reservation.payment);
  return outcome;
}

}  // namespace maejin::embedded
