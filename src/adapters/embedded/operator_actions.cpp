#include "adapters/embedded/operator_actions.h"
#include "store/booking_audit.h"

namespace maejin::embedded {
namespace {

bool Matches(const ReservationFilter& filter, const Reservation& reservation) {
  const bool after_cursor = filter.after == 0 || (filter.newest_first ? reservation.number < filter.after
                                                                      : reservation.number > filter.after);
  return after_cursor && (!filter.number || *filter.number == reservation.number) &&
         (!filter.concert || *filter.concert == reservation.concert) &&
         (!filter.schedule || *filter.schedule == reservation.schedule) &&
         (!filter.user || *filter.user == reservation.user) &&
         (!filter.seat ||
          std::binary_search(reservation.seats.begin(), reservation.seats.end(), *filter.seat)) &&
         (!filter.status || *filter.status == ShownStatus(reservation));
}

// Appends the reservations of one concert that match `filter`, at most `filter.limit`. Call with the sale's
// lock held.
void FindIn(const Sale& sale, const ReservationFilter& filter, std::vector<Reservation>& found) {
  const auto& all = sale.concert.reservations();
  std::size_t taken = 0;
  const auto take = [&](const Reservation& reservation) {
    if (!Matches(filter, reservation)) return true;
    found.push_back(reservation);
    return ++taken < filter.limit;
  };
  if (filter.number) {
    const auto row = std::lower_bound(
        all.begin(), all.end(), *filter.number,
        [](const Reservation& reservation, std::int64_t number) { return reservation.number < number; });
    if (row != all.end()) take(*row);
  } else if (filter.newest_first) {
    for (auto row = all.rbegin(); row != all.rend() && take(*row); ++row) {
    }
  } else {
    for (auto row = all.begin(); row != all.end() && take(*row); ++row) {
    }
  }
}

std::string ListOf(const std::vector<SeatNumber>& seats) {
  std::string list;
  AppendNumbers(list, seats);
  return list;
}

Decided<ConcertView> DecideSeats(SaleRegistry& sales, SaleJournal& journal, ScheduleId id,
                                 const std::vector<SeatNumber>& seats, bool block, const Operator& actor) {
  auto* entry = sales.FindEntry(id);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(id)}};
  const auto subject = "schedule " + std::to_string(id);
  const auto detail = ListOf(seats);
  const AuditEntry audit{actor.at, actor.name, block ? "seats.block" : "seats.release", subject, detail};
  return journal.Operate(
      entry->sale, actor, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
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
Decided<ConcertView> DecideDate(SaleRegistry& sales, SaleJournal& journal, ScheduleId id,
                                const Operator& actor, std::string_view action, std::string_view detail,
                                Act&& act) {
  auto* entry = sales.FindEntry(id);
  if (!entry) return {Refused{Refusal::kScheduleNotFound, std::to_string(id)}};
  const auto subject = "schedule " + std::to_string(id);
  const AuditEntry audit{actor.at, actor.name, action, subject, detail};
  return journal.Operate(entry->sale, actor, audit,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                           const auto life = concert.life();
                           const Outcome<Done> done = act(concert, buffers.changes);
                           if (!done || concert.life() == life) return done;
                           UpdateScheduleRow(buffers.rows, *entry->schedule);
                           UpdateConcertRow(buffers.rows, concert);
                           return done;
                         });
}

// An action on a whole concert: `act(concert, buffers)`.
template <class Act>
Decided<ConcertView> DecideConcert(SaleRegistry& sales, SaleJournal& journal, ConcertId id,
                                   const Operator& actor, std::string_view action, std::string_view detail,
                                   Act&& act) {
  auto* sale = sales.FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const auto subject = AuditSubject(id);
  const AuditEntry audit{actor.at, actor.name, action, subject, detail};
  return journal.Operate(sale, actor, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    const auto life = concert.life();
    const Outcome<Done> done = act(concert, buffers);
    if (done && concert.life() != life) UpdateConcertRow(buffers.rows, concert);
    return done;
  });
}

}  // namespace

Task<Outcome<ConcertView>> OperatorActions::BlockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                       Operator actor) {
  return journal_.WhenDurable(DecideSeats(sales_, journal_, schedule, seats, true, actor));
}

Task<Outcome<ConcertView>> OperatorActions::UnblockSeats(ScheduleId schedule, std::vector<SeatNumber> seats,
                                                         Operator actor) {
  return journal_.WhenDurable(DecideSeats(sales_, journal_, schedule, seats, false, actor));
}

Task<Outcome<ConcertView>> OperatorActions::CancelSchedule(ScheduleId schedule, Operator actor) {
  return journal_.WhenDurable(
      DecideDate(sales_, journal_, schedule, actor, "schedule.cancel", "",
                 [&](Concert& concert, BookingChanges&) { return concert.CancelSchedule(schedule); }));
}

Task<Outcome<ConcertView>> OperatorActions::PostponeSchedule(ScheduleId schedule, NewDate to,
                                                             Operator actor) {
  return journal_.WhenDurable(DecideDate(sales_, journal_, schedule, actor, "schedule.postpone",
                                         FormatDate(to.date), [&](Concert& concert, BookingChanges& changes) {
                                           return concert.Postpone(schedule, to, actor.at, changes);
                                         }));
}

Task<Outcome<ConcertView>> OperatorActions::ChangeSchedule(ScheduleId schedule, SchedulePatch patch,
                                                           Operator actor) {
  return journal_.WhenDurable(
      DecideDate(sales_, journal_, schedule, actor, "schedule.change", Describe(patch),
                 [&](Concert& concert, BookingChanges&) { return concert.Change(schedule, patch); }));
}

Task<Outcome<ConcertView>> OperatorActions::CancelConcert(ConcertId id, Operator actor) {
  return journal_.WhenDurable(DecideConcert(sales_, journal_, id, actor, "concert.cancel", "",
                                            [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                                              if (concert.cancelled()) return Done{};
                                              concert.CancelAll();
                                              for (const auto& schedule : concert.schedules())
                                                UpdateScheduleRow(buffers.rows, schedule);
                                              return Done{};
                                            }));
}

Task<Outcome<ConcertView>> OperatorActions::CloseConcert(ConcertId id, Operator actor) {
  return journal_.WhenDurable(
      DecideConcert(sales_, journal_, id, actor, "concert.close", "",
                    [](Concert& concert, TransitBuffers&) { return concert.Close(); }));
}

Task<Outcome<ConcertView>> OperatorActions::ReopenConcert(ConcertId id, Operator actor) {
  return journal_.WhenDurable(
      DecideConcert(sales_, journal_, id, actor, "concert.reopen", "",
                    [](Concert& concert, TransitBuffers&) { return concert.Reopen(); }));
}

std::vector<ConcertChange> OperatorActions::ListChanges(ConcertId after, std::size_t limit) const {
  std::vector<ConcertChange> changes;
  for (const auto& [id, sale] : sales_.PageOfSales(after, limit))
    changes.push_back({id, sale->room, journal_.DurableLife(*sale)});
  return changes;
}

Task<Outcome<ConcertView>> OperatorActions::ChangeConcert(ConcertId id, ConcertPatch patch, Operator actor) {
  return journal_.WhenDurable(DecideConcert(sales_, journal_, id, actor, "concert.change", Describe(patch),
                                            [&](Concert& concert, TransitBuffers& buffers) {
                                              const auto changed = concert.Change(patch, actor.at);
                                              if (changed && concert.sold_out_at())
                                                UpdateSoldOutNames(buffers.rows, concert);
                                              return changed;
                                            }));
}

Task<Outcome<PaymentOutcome>> OperatorActions::CancelReservation(ReservationId id, std::string reason,
                                                                 Operator actor) {
  const auto location = sales_.reservations.Find(id);
  if (!location) co_return Refused{Refusal::kReservationNotFound, id.ToString()};
  const auto subject = "reservation " + id.ToString();
  // If the deadline of the hold has passed, Transit() ends the hold before the cancellation.
  journal_.Transit(*location->sale, actor.at,
                   [](Concert&, TransitBuffers&) -> Outcome<Done> { return Done{}; });
  auto decided = journal_.OperateOn(
      *location->sale, {actor.at, actor.name, "reservation.cancel", subject, ""},
      [&](Concert& concert, TransitBuffers& buffers) {
        return concert.Cancel(location->index, EndReason::kOperator, actor.at, buffers.changes);
      },
      [&](const Concert& concert) {
        return std::pair(OutcomeOf(*location->sale, location->index),
                         DescribeReservation(concert.reservation(location->index), reason));
      });
  co_return co_await journal_.WhenDurable(std::move(decided));
}

Task<Outcome<std::vector<Reservation>>> OperatorActions::ListReservations(ReservationFilter filter) const {
  std::vector<Reservation> found;
  Ticket newest = 0;
  if (filter.user && !filter.number) {
    for (const auto& location : sales_.by_user.Find(*filter.user)) {
      const std::lock_guard lock(location.sale->mutex);
      const auto& reservation = location.sale->concert.reservation(location.index);
      if (Matches(filter, reservation)) found.push_back(reservation);
      newest = std::max(newest, location.sale->newest);
    }
  } else {
    for (const auto* sale : sales_.AllSales()) {
      const std::lock_guard lock(sale->mutex);
      if (filter.concert && *filter.concert != sale->concert.id()) continue;
      FindIn(*sale, filter, found);
      newest = std::max(newest, sale->newest);
    }
  }
  // The limit applies to all concerts together, so the reservations of all concerts are sorted first.
  std::sort(found.begin(), found.end(), [&](const Reservation& a, const Reservation& b) {
    return filter.newest_first ? a.number > b.number : a.number < b.number;
  });
  if (found.size() > filter.limit) found.resize(filter.limit);
  Decided<std::vector<Reservation>> decided{std::move(found), newest};
  co_return co_await journal_.WhenDurable(std::move(decided));
}

}  // namespace maejin::embedded
