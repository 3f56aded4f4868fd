// The events (domain/event.h) of booking transitions and of operators' actions. Every store writes them in
// the commit of the transition.
#pragma once

#include <string>
#include <vector>

#include "domain/audit_chain.h"
#include "domain/booking/booking_changes.h"
#include "domain/event.h"

namespace maejin {

// A reservation that a transition made (`added`) or changed. AppendEvent() appends its event; a reservation
// that has become PAYING has none. `declined`: the reservation is HELD again because its payment was
// declined. A changed reservation that is HELD without `declined` has a later deadline.
struct ReservationTransition {
  const Reservation& reservation;
  bool added = false;
  bool declined = false;
};
void AppendEvent(std::vector<EventDraft>& out, const ReservationTransition& transition, Time now);
// A sell-out as JSON: the data of its event, and its payload in an outbox.
std::string FactText(const ScheduleSoldOut& fact);
std::string FactText(const ConcertSoldOut& fact);
void AppendEvent(std::vector<EventDraft>& out, const ScheduleSoldOut& fact);
void AppendEvent(std::vector<EventDraft>& out, const ConcertSoldOut& fact);
// Appends the events of one transition: first of its reservations, then of its sell-outs.
void AppendEvents(std::vector<EventDraft>& out, const BookingChanges& changes, Time now);

// Appends the event that the sale of a concert began, by its time or by an operator.
void AppendOpened(std::vector<EventDraft>& out, ConcertId concert, Time opened_at, Time now);

// Appends the event of the concert or date that an action changed, then the event of the action itself.
void AppendEvents(std::vector<EventDraft>& out, const AuditEntry& entry);

}  // namespace maejin
