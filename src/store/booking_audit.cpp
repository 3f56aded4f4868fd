#include "store/booking_audit.h"

#include "base/json_writer.h"
#include "domain/booking/reservation_code.h"

namespace maejin {
namespace {

std::string DescribeJson(const ConcertDetails* details, const std::vector<SchedulePlan>& schedules) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    if (details) json.Field("title", details->title);
    json.Array("dates", [&] {
      for (const auto& plan : schedules) json.Element(plan.date);
    });
  });
  return out;
}

}  // namespace

std::string AuditSubject(ConcertId concert) { return "concert " + std::to_string(concert); }

std::string DescribeConcert(const ConcertDetails& details, const std::vector<SchedulePlan>& schedules) {
  return DescribeJson(&details, schedules);
}

std::string DescribeReservation(const Reservation& reservation, const std::string& reason) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("code", CodeOf(reservation.number));
    json.Field("status", Name(reservation.status));
    if (!reason.empty()) json.Field("reason", reason);
  });
  return out;
}

std::string DescribeDates(const std::vector<SchedulePlan>& schedules) {
  return DescribeJson(nullptr, schedules);
}

}  // namespace maejin
