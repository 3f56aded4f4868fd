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

// An action on one date: `act(concert, changes)`.
template <class Act>
Decided<ConcertView> DecideDate(SaleRegistry& sales, SaleJournal& journal, ScheduleId id, const Operator& who,
                                std::string_view action, std::string_view detail, Act&& act) {
  auto* entry = sales.FindEntry(id);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(id)}};
  const auto subject = "schedule " + std::to_string(id);
  const AuditEntry audit{who.at, who.name, action, subject, detail};
  return journal.Operate(entry->sale, who, audit,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                           const Outcome<Done> done = act(concert, buffers.changes);
                           if (!done) return done;
                           UpdateScheduleRow(buffers.rows, *entry->schedule);
                           UpdateConcertRow(buffers.rows, concert);
                           return done;
                         });
}

// An action on a whole concert: `act(concert, buffers)`.
template <class Act>
Decided<ConcertView> DecideConcert(SaleRegistry& sales, SaleJournal& journal, ConcertId id,
                                   const Operator& who, std::string_view action, std::string_view detail,
                                   Act&& act) {
  auto* sale = sales.FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const auto subject = AuditSubject(id);
  const AuditEntry audit{who.at, who.name, action, subject, detail};
  return journal.Operate(sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    const Outcome<Done> done = act(concert, buffers);
    if (done) UpdateConcertRow(buffers.rows, concert);
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
  return journal_.WhenDurable(
      DecideDate(sales_, journal_, schedule, who, "schedule.cancel", "",
                 [&](Concert& concert, BookingChanges&) { return concert.CancelSchedule(schedule); }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::PostponeSchedule(ScheduleId schedule, NewDate to,
                                                                  Operator who) {
  return journal_.WhenDurable(DecideDate(sales_, journal_, schedule, who, "schedule.postpone",
                                         FormatDate(to.date), [&](Concert& concert, BookingChanges& changes) {
                                           return concert.Postpone(schedule, to, who.at, changes);
                                         }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                                                Operator who) {
  return journal_.WhenDurable(
      DecideDate(sales_, journal_, schedule, who, "schedule.change", Describe(patch),
                 [&](Concert& concert, BookingChanges&) { return concert.Change(schedule, patch); }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::CancelConcert(ConcertId id, Operator who) {
  return journal_.WhenDurable(DecideConcert(sales_, journal_, id, who, "concert.cancel", "",
                                            [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                                              concert.CancelAll();
                                              for (const auto& schedule : concert.schedules())
                                                UpdateScheduleRow(buffers.rows, schedule);
                                              return Done{};
                                            }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::CloseConcert(ConcertId id, Operator who) {
  return journal_.WhenDurable(
      DecideConcert(sales_, journal_, id, who, "concert.close", "",
                    [](Concert& concert, TransitBuffers&) { return concert.Close(); }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::ReopenConcert(ConcertId id, Operator who) {
  return journal_.WhenDurable(
      DecideConcert(sales_, journal_, id, who, "concert.reopen", "",
                    [](Concert& concert, TransitBuffers&) { return concert.Reopen(); }));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::ChangeConcert(ConcertId id, ConcertPatch patch,
                                                               Operator who) {
  return journal_.WhenDurable(DecideConcert(sales_, journal_, id, who, "concert.change", Describe(patch),
                                            [&](Concert& concert, TransitBuffers& buffers) {
                                              const auto changed = concert.Change(patch, who.at);
                                              if (changed && concert.sold_out_at())
                                                UpdateSoldOutNames(buffers.rows, concert);
                                              return changed;
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
  // The oldest of all concerts, not of the first ones.
  std::sort(found.begin(), found.end(),
            [](const Reservation& a, const Reservation& b) { return a.number < b.number; });
  if (found.size() > filter.limit) found.resize(filter.limit);
  co_return found;
}

}  // namespace maejin::embedded
