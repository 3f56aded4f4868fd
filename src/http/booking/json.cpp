#include "http/booking/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/json_writer.h"
#include "domain/booking/reservation_code.h"
#include "http/picture_url.h"

namespace maejin::http {
namespace {

std::string_view StatusOf(const ScheduleView& schedule) {
  if (schedule.cancelled) return "CANCELLED";
  if (schedule.counts.SoldOut()) return "SOLD_OUT";
  return schedule.ended ? "ENDED" : "ACTIVE";
}

void WriteSchedule(JsonWriter& json, const ScheduleView& schedule, const RankedView& shown) {
  json.Object([&] {
    json.Field("id", schedule.id);
    json.Field("concertDate", schedule.date);
    json.OptionalField("startsAt", schedule.starts_at);
    json.OptionalField("bookingOpenAt", schedule.booking_open_at);
    json.Field("salesEndAt", schedule.sales_end_at);
    json.OptionalField("previousDate", schedule.previous_date);
    json.Field("status", StatusOf(schedule));
    json.Field("totalSeats", schedule.counts.ForSale());
    json.Field("availableSeats", schedule.counts.available);
    json.OptionalField("soldOutAt", schedule.sold_out_at);
    const auto ranks = shown.schedules.find(schedule.id);
    if (ranks == shown.schedules.end()) return json.Null("ranking");
    json.Object("ranking", [&] {
      json.Field("daily", ranks->second.daily);
      json.Field("weekly", ranks->second.weekly);
      json.Field("monthly", ranks->second.monthly);
    });
  });
}

void WriteConcertFields(JsonWriter& json, const RankedView& shown) {
  const auto& concert = shown.concert;
  json.Field("id", concert.id);
  json.Field("title", concert.details.title);
  json.Field("artist", concert.details.artist);
  json.Field("venue", concert.details.venue);
  json.Field("price", concert.details.price);
  json.Field("priceFrom", concert.LowestPrice());
  json.Field("status", Name(concert.status));
  json.OptionalField("bookingOpenAt", concert.details.booking_open_at);
  json.OptionalField("soldOutAt", concert.sold_out_at);
  json.Field("holdSeconds", concert.details.hold.count());
  json.Field("room", Name(concert.details.room));
  json.Field("maxSeatsPerUser", concert.details.max_seats_per_user);
  json.Field("maxSeatsPerDate", concert.details.max_seats_per_date);
  json.Field("cooldownSeconds", concert.details.cooldown.count());
  json.Field("listed", concert.details.listed);
  json.Field("ranked", concert.details.ranked);
  json.OptionalField("color", TextOf(concert.details.color));
  json.OptionalField("organizer", concert.details.organizer);
  json.Field("totalSeats", concert.counts.ForSale());
  json.Field("availableSeats", concert.counts.available);
  json.Field("heldSeats", concert.counts.held);
  json.Array("schedules", [&] {
    for (const auto& schedule : concert.schedules) WriteSchedule(json, schedule, shown);
  });
}

void WritePoster(JsonWriter& json, const RankedView& shown) {
  if (!shown.poster) return json.Null("poster");
  json.Object("poster", [&] {
    json.Field("url", PictureUrl(PictureKind::kPoster, shown.concert.id, shown.poster->version));
    json.Field("width", shown.poster->width);
    json.Field("height", shown.poster->height);
    json.Array("widths", [&] {
      for (const auto width : shown.poster->widths) json.Element(width);
    });
  });
}

void WriteLogo(JsonWriter& json, const RankedView& shown) {
  if (!shown.logo) return json.Null("logo");
  json.Object("logo", [&] {
    json.Field("url", PictureUrl(PictureKind::kLogo, shown.concert.id, shown.logo->version));
    json.Field("width", shown.logo->width);
    json.Field("height", shown.logo->height);
  });
}

void WriteRankedConcert(JsonWriter& json, const RankedView& shown) {
  json.Object([&] {
    WriteConcertFields(json, shown);
    WritePoster(json, shown);
    WriteLogo(json, shown);
    if (!shown.ranks) return json.Null("ranking");
    json.Object("ranking", [&] {
      json.Field("daily", shown.ranks->daily);
      json.Field("weekly", shown.ranks->weekly);
      json.Field("monthly", shown.ranks->monthly);
      json.Field("all", shown.ranks->all);
    });
  });
}

void WriteShowFields(JsonWriter& json, const ShowView& show, const Reservation& reservation) {
  json.Field("title", show.title);
  json.Field("venue", show.venue);
  json.Field("concertDate", show.date);
  json.OptionalField("startsAt", show.starts_at);
  json.OptionalField("previousDate", PreviousDate(show, reservation));
  json.Array("labels", [&] {
    for (const auto seat : reservation.seats) json.Element(show.layout->LabelOf(seat));
  });
}

void WritePaymentFields(JsonWriter& json, const std::optional<Payment>& payment) {
  if (!payment) return;
  json.Field("paymentId", payment->id);
  json.Field("paymentStatus", Name(payment->status));
}

void AppendNumber(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

char Letter(SeatState state) {
  switch (state) {
    case SeatState::kAvailable:
      return 'A';
    case SeatState::kHeld:
      return 'H';
    case SeatState::kAssigned:
      return 'S';
    case SeatState::kBlocked:
      break;
  }
  return 'B';
}

// The text after the seat's number, one for each state, for the seats of this row.
std::array<std::string, kSeatStates.size()> RestsOf(const SeatLayout& layout, const SeatRow& row) {
  const auto& section = layout.sections()[row.section];
  std::string place = ",\"section\":";
  AppendJsonString(place, section.name);
  place += ",\"row\":";
  AppendNumber(place, row.row);
  std::array<std::string, kSeatStates.size()> rests;
  for (const auto state : kSeatStates) {
    auto& rest = rests[static_cast<std::size_t>(state)];
    rest.append(place).append(",\"status\":\"").append(Name(state)).append("\",\"price\":");
    AppendNumber(rest, section.price);
    rest += '}';
  }
  return rests;
}

}  // namespace

std::optional<Date> PreviousDate(const ShowView& show, const Reservation& reservation) {
  return reservation.held_at <= show.postponed_at ? show.previous_date : std::nullopt;
}

void WriteConcert(std::string& out, const RankedView& shown) {
  JsonWriter json(out);
  WriteRankedConcert(json, shown);
}

void WriteConcerts(std::string& out, const std::vector<RankedView>& concerts) {
  JsonWriter json(out);
  json.Object([&] {
    json.Array("concerts", [&] {
      for (const auto& shown : concerts) WriteRankedConcert(json, shown);
    });
  });
}

void WriteReservation(std::string& out, const ReservationView& view) {
  const auto& reservation = view.reservation;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("reservationId", reservation.id);
    json.Field("code", CodeOf(reservation.number));
    json.Field("status", Name(ShownStatus(reservation)));
    json.Field("concertId", reservation.concert);
    json.Field("scheduleId", reservation.schedule);
    json.Field("userId", reservation.user);
    json.Array("seats", [&] {
      for (const auto seat : reservation.seats) json.Element(seat);
    });
    json.Field("amount", reservation.amount);
    json.Field("heldAt", reservation.held_at);
    json.Field("expiresAt", reservation.expires_at);
    json.OptionalField("paidAt", reservation.paid_at);
    json.OptionalField("endedAt", reservation.ended_at);
    if (reservation.end_reason == EndReason::kNone) {
      json.Null("endReason");
    } else {
      json.Field("endReason", Name(reservation.end_reason));
    }
    if (view.show) WriteShowFields(json, *view.show, reservation);
    WritePaymentFields(json, view.payment);
  });
}

void WriteBestSeats(std::string& out, const BestSeats& best) {
  Money amount = 0;
  JsonWriter json(out);
  json.Object([&] {
    json.Array("seats", [&] {
      for (const auto seat : best.seats) {
        const auto& row = best.layout->RowOf(seat);
        const auto& section = best.layout->sections()[row.section];
        amount += section.price;
        json.Object([&] {
          json.Field("number", seat);
          json.Field("section", section.name);
          json.Field("row", row.row);
          json.Field("label", best.layout->LabelOf(seat));
          json.Field("price", section.price);
        });
      }
    });
    json.Field("amount", amount);
  });
}

void WritePayment(std::string& out, const PaymentOutcome& outcome) {
  const auto& reservation = outcome.reservation;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("reservationId", reservation.id);
    json.Field("status", Name(ShownStatus(reservation)));
    json.Field("amount", reservation.amount);
    json.OptionalField("paidAt", reservation.paid_at);
    json.Field("scheduleSoldOut", reservation.schedule_sold_out);
    json.Field("concertSoldOut", reservation.concert_sold_out);
    WritePaymentFields(json, outcome.payment);
  });
}

// Formatted by hand: the text that the seats of a row share is made once, so that a seat costs its number and
// one copy.
void WriteSeats(std::string& out, const SeatsView& seats) {
  out.reserve(out.size() + 64 + seats.states.size() * 88);
  out += "{\"scheduleId\":";
  AppendNumber(out, seats.schedule);
  out += ",\"version\":";
  AppendNumber(out, static_cast<std::int64_t>(seats.version));
  out += ",\"seats\":[";
  auto wheelchair = seats.layout->wheelchair().begin();
  const auto wheelchair_end = seats.layout->wheelchair().end();
  char start[24] = ",{\"number\":";  // the first seat skips the comma
  char* const digits = start + std::strlen(start);
  for (const auto& row : seats.layout->rows()) {
    const auto rests = RestsOf(*seats.layout, row);
    for (auto seat = row.first; seat < row.first + row.count; ++seat) {
      char* const end = std::to_chars(digits, std::end(start), seat).ptr;
      out.append(start + (seat == 1), end);
      out += rests[static_cast<std::size_t>(seats.states[static_cast<std::size_t>(seat - 1)])];
      if (wheelchair != wheelchair_end && *wheelchair == seat) {
        out.back() = ',';
        out += "\"wheelchair\":true}";
        ++wheelchair;
      }
    }
  }
  out += "]}";
}

void WriteCompactSeats(std::string& out, const SeatsView& seats) {
  std::string states;
  states.reserve(seats.states.size());
  for (const auto state : seats.states) states += Letter(state);
  const auto& layout = *seats.layout;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("scheduleId", seats.schedule);
    json.Field("version", seats.version);
    json.Array("sections", [&] {
      SeatNumber first = 1;
      for (const auto& section : layout.sections()) {
        json.Object([&] {
          json.Field("name", section.name);
          json.Field("firstNumber", first);
          json.Field("price", section.price);
          json.Array("rows", [&] {
            for (std::int32_t row = 1; row <= section.Rows(); ++row) json.Element(section.SeatsInRow(row));
          });
          if (section.shape.empty()) return;
          json.Array("shape", [&] {
            for (const auto number : section.shape) json.Element(number);
          });
        });
        first += static_cast<SeatNumber>(section.Seats());
      }
    });
    json.Array("wheelchair", [&] {
      for (const auto seat : layout.wheelchair()) json.Element(seat);
    });
    json.Field("states", states);
  });
}

void WriteCompactChanges(std::string& out, ScheduleId schedule, const SeatChanges& changes) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("scheduleId", schedule);
    json.Field("version", changes.version);
    json.Object("changes", [&] {
      for (const auto state : kSeatStates) {
        const auto now_so = [&](const SeatChange& change) { return change.state == state; };
        if (std::none_of(changes.changes.begin(), changes.changes.end(), now_so)) continue;
        json.Array(std::string(1, Letter(state)), [&] {
          for (const auto& change : changes.changes) {
            if (now_so(change)) json.Element(change.number);
          }
        });
      }
    });
  });
}

void WriteSeatChanges(std::string& out, ScheduleId schedule, const SeatChanges& changes) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("scheduleId", schedule);
    json.Field("version", changes.version);
    json.Array("changes", [&] {
      for (const auto& change : changes.changes) {
        json.Object([&] {
          json.Field("number", change.number);
          json.Field("status", Name(change.state));
        });
      }
    });
  });
}

}  // namespace maejin::http
