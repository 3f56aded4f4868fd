#include "usecase/check_ticket.h"

#include <algorithm>

#include "domain/booking/reservation_code.h"
#include "domain/booking/ticket.h"

namespace maejin {

Task<Outcome<TicketReport>> CheckTicket::operator()(std::string text) const {
  std::optional<Ticket> ticket;
  if (text.starts_with(kTicketPrefix)) ticket = ReadTicket(keys_, text);
  const auto number = ticket ? ticket->reservation : NumberOfCode(text);
  if (!number) co_return Refusal::kUnknownTicket;
  ReservationFilter filter;
  filter.number = number;
  auto found = co_await operations_.ListReservations(std::move(filter));
  if (!found) co_return found.error();
  // A booking that was never paid has no ticket.
  if (found->empty() || !found->front().paid_at) co_return Refusal::kUnknownTicket;
  auto& reservation = found->front();
  if (ticket && (ticket->schedule != reservation.schedule ||
                 !std::binary_search(reservation.seats.begin(), reservation.seats.end(), ticket->seat)))
    co_return Refusal::kUnknownTicket;
  TicketReport report;
  report.valid = reservation.status == ReservationStatus::kConfirmed;
  if (ticket) report.seat = ticket->seat;
  report.view = co_await ShowReservation(bookings_, std::move(reservation));
  co_return report;
}

}  // namespace maejin
