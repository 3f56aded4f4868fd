#include "http/booking/ticket_routes.h"

#include "base/json_writer.h"
#include "domain/booking/reservation_code.h"
#include "domain/booking/ticket.h"
#include "http/booking/qr_code.h"
#include "http/booking/reservation_owner.h"

namespace maejin::http {
namespace {

void WriteTickets(std::string& out, const ReservationView& view, const KeyRing& keys) {
  const auto& reservation = view.reservation;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("reservationId", reservation.id);
    json.Field("code", CodeOf(reservation.number));
    json.Array("tickets", [&] {
      if (reservation.status != ReservationStatus::kConfirmed) return;
      for (const auto seat : reservation.seats) {
        const auto text =
            WriteTicket(keys, {reservation.number, reservation.schedule, seat, view.show->date});
        json.Object([&] {
          json.Field("seat", seat);
          json.Field("label", view.show->layout->LabelOf(seat));
          json.Field("text", text);
          json.Field("svg", QrSvg(text));
        });
      }
    });
  });
}

// Only a paid reservation has tickets. A cancelled one gets an empty list.
Task<Outcome<Done>> GetTickets(TicketRoutes routes, const Request& request, Response& response) {
  auto ref = FindOwned(routes.identity, request);
  if (!ref) co_return ref.error();
  auto found = co_await routes.manage_reservation.Read(std::move(*ref));
  if (!found) co_return found.error();
  const auto view = co_await routes.manage_reservation.Show(std::move(found->reservation));
  if (!view.show) co_return Refusal::kUnavailable;
  WriteTickets(response.body, view, routes.keys);
  co_return Done{};
}

void WriteReport(std::string& out, const TicketReport& report) {
  const auto& reservation = report.view.reservation;
  const auto& show = *report.view.show;
  const auto seats = report.seat ? std::vector{*report.seat} : reservation.seats;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("status", report.valid ? "valid" : "cancelled");
    json.Field("code", CodeOf(reservation.number));
    json.Field("reservationId", reservation.id);
    json.Field("concertId", reservation.concert);
    json.Field("scheduleId", reservation.schedule);
    json.Field("title", show.title);
    json.Field("venue", show.venue);
    json.Field("concertDate", show.date);
    json.OptionalField("startsAt", show.starts_at);
    json.Array("seats", [&] {
      for (const auto seat : seats) json.Element(seat);
    });
    json.Array("labels", [&] {
      for (const auto seat : seats) json.Element(show.layout->LabelOf(seat));
    });
  });
}

Task<Outcome<Done>> GetTicket(TicketRoutes routes, const Request& request, Response& response) {
  const auto report = co_await routes.check_ticket(std::string(request.params[0]));
  if (!report) co_return report.error();
  if (!report->view.show) co_return Refusal::kUnavailable;
  WriteReport(response.body, *report);
  co_return Done{};
}

}  // namespace

void AddTicketRoutes(Router& router, TicketRoutes routes) {
  router.Add({.pattern = "/api/v1/reservations/{id}/tickets",
              .priority = Priority::kHold,
              .handler = [routes](const Request& request, Response& response) {
                return GetTickets(routes, request, response);
              }});
  router.Add({.pattern = "/api/v1/tickets/{code}",
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = [routes](const Request& request, Response& response) {
                return GetTicket(routes, request, response);
              }});
}

}  // namespace maejin::http
