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

std::string Describe(const ConcertPatch& patch) {
  std::string out;
  JsonWriter json(out);
  const auto plain = [&](std::string_view name, const auto& change) {
    if (change) json.Field(name, *change);
  };
  const auto count = [&](std::string_view name, const auto& change) {
    if (change) json.Field(name, change->count());
  };
  json.Object([&] {
    plain("title", patch.title);
    plain("artist", patch.artist);
    plain("venue", patch.venue);
    if (patch.booking_open_at) json.OptionalField("bookingOpenAt", *patch.booking_open_at);
    count("holdSeconds", patch.hold);
    plain("maxSeatsPerUser", patch.max_seats_per_user);
    plain("maxSeatsPerDate", patch.max_seats_per_date);
    count("cooldownSeconds", patch.cooldown);
    plain("listed", patch.listed);
    plain("ranked", patch.ranked);
  });
  return out;
}

std::string Describe(const SchedulePatch& patch) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    if (patch.starts_at) json.OptionalField("startsAt", *patch.starts_at);
    if (patch.sales_end_at) json.OptionalField("salesEndAt", *patch.sales_end_at);
  });
  return out;
}

}  // namespace maejin
