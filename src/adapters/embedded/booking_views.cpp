#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {
namespace {

ScheduleView ViewOf(const Schedule& schedule) {
  return {schedule.id,         schedule.date,      schedule.starts_at,   schedule.booking_open_at,
          schedule.created_at, schedule.cancelled, schedule.sold_out_at, schedule.seats.counts()};
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
  for (const auto& schedule : concert.schedules()) view.schedules.push_back(ViewOf(schedule));
  return view;
}

}  // namespace maejin::embedded
