#include "store/booking_audit.h"

#include "base/json_text.h"
#include "domain/booking/reservation_code.h"

namespace maejin {
namespace {

std::string DescribeJson(const ConcertDetails* details, const std::vector<SchedulePlan>& schedules) {
  return JsonObjectText([&](JsonWriter& json) {
    if (details) json.Field("title", details->title);
    json.Array("dates", [&] {
      for (const auto& plan : schedules) json.Element(plan.date);
    });
  });
}

}  // namespace

std::string AuditSubject(ConcertId concert) { return "concert " + std::to_string(concert); }

std::string DescribeConcert(const ConcertDetails& details, const std::vector<SchedulePlan>& schedules) {
  return DescribeJson(&details, schedules);
}

std::string DescribeReservation(const Reservation& reservation, const std::string& reason) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("code", CodeOf(reservation.number));
    json.Field("status", Name(reservation.status));
    if (!reason.empty()) json.Field("reason", reason);
  });
}

std::string DescribeDates(const std::vector<SchedulePlan>& schedules) {
  return DescribeJson(nullptr, schedules);
}

std::string Describe(const ConcertPatch& patch) {
  return JsonObjectText([&](JsonWriter& json) {
    JsonChanges changes(json);
    changes.Field("title", patch.title);
    changes.Field("artist", patch.artist);
    changes.Field("venue", patch.venue);
    changes.Removable("bookingOpenAt", patch.booking_open_at);
    changes.Count("holdSeconds", patch.hold);
    changes.Field("maxSeatsPerUser", patch.max_seats_per_user);
    changes.Field("maxSeatsPerDate", patch.max_seats_per_date);
    changes.Count("cooldownSeconds", patch.cooldown);
    changes.Field("listed", patch.listed);
    changes.Field("ranked", patch.ranked);
    if (patch.color) json.OptionalField("color", TextOf(*patch.color));
    changes.Removable("organizer", patch.organizer);
    changes.Named("order", patch.order);
    changes.Removable("preQueueAt", patch.pre_queue_at);
  });
}

std::string Describe(const SchedulePatch& patch) {
  return JsonObjectText([&](JsonWriter& json) {
    JsonChanges changes(json);
    changes.Removable("startsAt", patch.starts_at);
    changes.Removable("salesEndAt", patch.sales_end_at);
  });
}

}  // namespace maejin
