#include "store/booking_events.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/json_text.h"
#include "base/numbers.h"
#include "domain/booking/reservation_code.h"

namespace maejin {
namespace {

// Empty: no event.
std::string_view TypeOf(const ReservationTransition& transition) {
  switch (transition.reservation.status) {
    case ReservationStatus::kHeld:
      if (transition.added) return "reservation.held";
      return transition.declined ? "reservation.declined" : "reservation.extended";
    case ReservationStatus::kPaying:
      break;
    case ReservationStatus::kConfirmed:
      return "reservation.confirmed";
    case ReservationStatus::kCancelled:
      return "reservation.cancelled";
    case ReservationStatus::kExpired:
      return "reservation.expired";
    case ReservationStatus::kRefunded:
      return "reservation.refunded";
  }
  return {};
}

std::string DataOf(const Reservation& reservation) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("reservationId", reservation.id);
    json.Field("code", CodeOf(reservation.number));
    json.Field("concertId", reservation.concert);
    json.Field("scheduleId", reservation.schedule);
    json.Field("userId", reservation.user);
    json.Array("seats", [&] {
      for (const auto seat : reservation.seats) json.Element(seat);
    });
    json.Field("amount", reservation.amount);
    json.Field("status", Name(reservation.status));
    json.Field("expiresAt", reservation.expires_at);
    json.OptionalField("paidAt", reservation.paid_at);
    json.OptionalField("endedAt", reservation.ended_at);
  });
}

// Whether a payment of this reservation failed in the same transition.
bool IsDeclined(const BookingChanges& changes, const Reservation& reservation) {
  return std::any_of(changes.rows.begin(), changes.rows.end(), [&](const BookingChanges::Row& row) {
    const auto* const* payment = std::get_if<const Payment*>(&row.record);
    return payment && (*payment)->status == PaymentStatus::kFailed &&
           (*payment)->reservation_number == reservation.number;
  });
}

// The actions on concerts and dates that have an event type of their own. Every other action on a concert or
// date has the event concert.changed.
struct ActionEvent {
  std::string_view action;
  std::string_view type;
};
constexpr auto kActions = std::to_array<ActionEvent>({
    {"concert.create", "concert.created"},
    {"concert.close", "concert.closed"},
    {"concert.reopen", "concert.reopened"},
    {"concert.cancel", "concert.cancelled"},
    {"schedule.cancel", "schedule.cancelled"},
    {"schedule.postpone", "schedule.postponed"},
});

std::string_view TypeOfAction(std::string_view action) {
  const auto* known =
      std::find_if(kActions.begin(), kActions.end(), [&](const auto& each) { return each.action == action; });
  if (known != kActions.end()) return known->type;
  if (action == "concert.open")
    return {};  // AppendOpened() adds this event, also when the time opens the sale
  const bool changes = action.starts_with("concert.") || action.starts_with("schedule.");
  return changes ? "concert.changed" : std::string_view();
}

// "concert 7" → 7.
std::optional<std::int64_t> NumberIn(std::string_view subject, std::string_view word) {
  if (!subject.starts_with(word)) return {};
  return ParseInt<std::int64_t>(subject.substr(word.size()));
}

void WriteDetail(JsonWriter& json, std::string_view detail) {
  const bool is_json = detail.starts_with('{') || detail.starts_with('[');
  if (detail.empty()) return json.Null("detail");
  if (is_json) return json.Raw("detail", detail);
  json.Field("detail", detail);
}

std::string DataOf(const AuditEntry& entry) {
  return JsonObjectText([&](JsonWriter& json) {
    if (const auto concert = NumberIn(entry.subject, "concert ")) json.Field("concertId", *concert);
    if (const auto schedule = NumberIn(entry.subject, "schedule ")) json.Field("scheduleId", *schedule);
    WriteDetail(json, entry.detail);
  });
}

}  // namespace

void AppendEvent(std::vector<EventDraft>& out, const ReservationTransition& transition, Time now) {
  const auto type = TypeOf(transition);
  if (type.empty()) return;
  const auto& reservation = transition.reservation;
  out.push_back({type, now, "reservation " + reservation.id.ToString(), DataOf(reservation)});
}

std::string FactText(const ScheduleSoldOut& fact) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("scheduleId", fact.schedule);
    json.Field("concertId", fact.concert);
    json.Field("concertDate", fact.concert_date);
    json.Field("seats", fact.seats);
    json.Field("startedAt", fact.started_at);
    json.Field("soldOutAt", fact.sold_out_at);
  });
}

std::string FactText(const ConcertSoldOut& fact) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("concertId", fact.concert);
    json.Field("title", fact.title);
    json.Field("artist", fact.artist);
    json.Field("venue", fact.venue);
    json.Field("dates", fact.dates);
    json.Field("seats", fact.seats);
    json.Field("bookingOpenAt", fact.booking_open_at);
    json.Field("soldOutAt", fact.sold_out_at);
  });
}

void AppendEvent(std::vector<EventDraft>& out, const ScheduleSoldOut& fact) {
  auto subject = "schedule " + std::to_string(fact.schedule);
  out.push_back({"schedule.sold-out", fact.sold_out_at, std::move(subject), FactText(fact)});
}

void AppendEvent(std::vector<EventDraft>& out, const ConcertSoldOut& fact) {
  auto subject = "concert " + std::to_string(fact.concert);
  out.push_back({"concert.sold-out", fact.sold_out_at, std::move(subject), FactText(fact)});
}

void AppendEvents(std::vector<EventDraft>& out, const BookingChanges& changes, Time now) {
  for (const auto& row : changes.rows) {
    const auto* const* reservation = std::get_if<const Reservation*>(&row.record);
    if (!reservation) continue;
    AppendEvent(out, {**reservation, row.added, IsDeclined(changes, **reservation)}, now);
  }
  for (const auto& fact : changes.facts) {
    if (const auto* schedule = std::get_if<ScheduleSoldOut>(&fact)) AppendEvent(out, *schedule);
    if (const auto* concert = std::get_if<ConcertSoldOut>(&fact)) AppendEvent(out, *concert);
  }
}

void AppendOpened(std::vector<EventDraft>& out, ConcertId concert, Time opened_at, Time now) {
  auto data = JsonObjectText([&](JsonWriter& json) {
    json.Field("concertId", concert);
    json.Field("bookingOpenAt", opened_at);
  });
  out.push_back({"concert.opened", now, "concert " + std::to_string(concert), std::move(data)});
}

void AppendEvents(std::vector<EventDraft>& out, const AuditEntry& entry) {
  const std::string subject(entry.subject);
  const auto type = TypeOfAction(entry.action);
  if (!type.empty()) out.push_back({type, entry.at, subject, DataOf(entry)});
  auto data = JsonObjectText([&](JsonWriter& json) {
    json.Field("actor", entry.actor);
    json.Field("action", entry.action);
    json.Field("subject", entry.subject);
    WriteDetail(json, entry.detail);
  });
  out.push_back({"operator.action", entry.at, subject, std::move(data)});
}

}  // namespace maejin
