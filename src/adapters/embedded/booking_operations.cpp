// The operators' actions, each with its row in the audit log.
#include "adapters/embedded/booking_store.h"
#include "store/booking_audit.h"

namespace maejin::embedded {
namespace {

bool Matches(const ReservationFilter& filter, const Reservation& reservation) {
  return reservation.number > filter.after &&
         (!filter.schedule || *filter.schedule == reservation.schedule) &&
         (!filter.user || *filter.user == reservation.user) &&
         (!filter.status || *filter.status == reservation.status);
}

std::string ListOf(const std::vector<SeatNumber>& seats) {
  std::string list;
  AppendNumbers(list, seats);
  return list;
}

Decided<ConcertView> DecideSeats(SaleRegistry& sales, SaleJournal& journal, ScheduleId id,
                                 const std::vector<SeatNumber>& seats, bool block, const Operator& who) {
  auto* entry = sales.FindEntry(id);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(id)}};
  const auto subject = "schedule " + std::to_string(id);
  const auto detail = ListOf(seats);
  const AuditEntry audit{who.at, who.name, block ? "seats.block" : "seats.release", subject, detail};
  return journal.Operate(
      entry->sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
        const auto done = block ? concert.Block(id, seats) : concert.Unblock(id, seats);
        if (!done) return done.error();
        const auto& map = entry->schedule->seats;
        const auto& wheelchair = map.layout()->wheelchair();
        for (const auto seat : seats) {
          AddSpecialSeatRow(buffers.rows, id, seat, map.StateOf(seat) == SeatState::kBlocked,
                            std::binary_search(wheelchair.begin(), wheelchair.end(), seat));
        }
        return Done{};
      });
}

Decided<ConcertView> DecidePostpone(SaleRegistry& sales, SaleJournal& journal, ScheduleId id, Date date,
                                    std::optional<Time> starts_at, const Operator& who) {
  auto* entry = sales.FindEntry(id);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(id)}};
  const auto subject = "schedule " + std::to_string(id);
  const auto detail = FormatDate(date);
  const AuditEntry audit{who.at, who.name, "schedule.postpone", subject, detail};
  return journal.Operate(entry->sale, who, audit,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                           const auto done = concert.Postpone(id, date, starts_at, buffers.changes);
                           if (done) UpdateScheduleRow(buffers.rows, *entry->schedule);
                           return done;
                         });
}

}  // namespace

Task<Outcome<ConcertView>> EmbeddedBookingStore::BlockSeats(ScheduleId schedule,
                                                            std::vector<SeatNumber> seats, Operator who) {
  return journal_.WhenDurable(DecideSeats(sales_, journal_, schedule, seats, true, who));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::UnblockSeats(ScheduleId schedule,
                                                              std::vector<SeatNumber> seats, Operator who) {
  return journal_.WhenDurable(DecideSeats(sales_, journal_, schedule, seats, false, who));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::CancelSchedule(ScheduleId schedule, Operator who) {
  auto* entry = sales_.FindEntry(schedule);
  if (!entry) {
    return journal_.WhenDurable(
        Decided<ConcertView>{Refused{Refusal::kScheduleNotFound, std::to_string(schedule)}});
  }
  const auto subject = "schedule " + std::to_string(schedule);
  const AuditEntry audit{who.at, who.name, "schedule.cancel", subject, ""};
  return journal_.WhenDurable(journal_.Operate(
      entry->sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
        const auto done = concert.CancelSchedule(schedule);
        if (done) UpdateScheduleRow(buffers.rows, *entry->schedule);
        return done;
      }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::PostponeSchedule(ScheduleId schedule, Date date,
                                                                  std::optional<Time> starts_at,
                                                                  Operator who) {
  return journal_.WhenDurable(DecidePostpone(sales_, journal_, schedule, date, starts_at, who));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::CancelConcert(ConcertId id, Operator who) {
  auto* sale = sales_.FindSale(id);
  if (!sale)
    return journal_.WhenDurable(Decided<ConcertView>{Refused{Refusal::kConcertNotFound, std::to_string(id)}});
  const auto subject = AuditSubject(id);
  const AuditEntry audit{who.at, who.name, "concert.cancel", subject, ""};
  return journal_.WhenDurable(
      journal_.Operate(sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
        concert.CancelAll();
        UpdateConcertRow(buffers.rows, concert);
        for (const auto& schedule : concert.schedules()) UpdateScheduleRow(buffers.rows, schedule);
        return Done{};
      }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::CloseConcert(ConcertId id, Operator who) {
  auto* sale = sales_.FindSale(id);
  if (!sale)
    return journal_.WhenDurable(Decided<ConcertView>{Refused{Refusal::kConcertNotFound, std::to_string(id)}});
  const auto subject = AuditSubject(id);
  const AuditEntry audit{who.at, who.name, "concert.close", subject, ""};
  return journal_.WhenDurable(
      journal_.Operate(sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
        const auto done = concert.Close();
        if (done) UpdateConcertRow(buffers.rows, concert);
        return done;
      }));
}

Task<Outcome<std::vector<Reservation>>> EmbeddedBookingStore::ListReservations(
    ReservationFilter filter) const {
  std::vector<Reservation> found;
  for (const auto* sale : sales_.AllSales()) {
    const std::lock_guard lock(sale->mutex);
    if (filter.concert && *filter.concert != sale->concert.id()) continue;
    std::size_t taken = 0;
    for (const auto& reservation : sale->concert.reservations()) {
      if (!Matches(filter, reservation)) continue;
      found.push_back(reservation);
      if (++taken == filter.limit) break;
    }
  }
  // Sort before the cut: the limit keeps the oldest reservations of all concerts.
  std::sort(found.begin(), found.end(),
            [](const Reservation& a, const Reservation& b) { return a.number < b.number; });
  if (found.size() > filter.limit) found.resize(filter.limit);
  co_return found;
}

}  // namespace maejin::embedded
