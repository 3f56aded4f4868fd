// Concerts and their dates: creating, opening, reading.
#include <algorithm>

#include "adapters/embedded/booking_store.h"
#include "domain/ranking/import_ids.h"
#include "store/booking_audit.h"

namespace maejin::embedded {
namespace {

// Call with SaleRegistry::ids_mutex and the concert's lock held.
void AddDates(SaleRegistry& sales, Concert& concert, const std::vector<SchedulePlan>& schedules,
              WriteSet& rows, Time now) {
  for (const auto& plan : schedules) {
    const auto& schedule = concert.AddSchedule(sales.next_schedule++, plan, now, now);
    AddScheduleRows(rows, concert.id(), schedule, plan);
  }
}

Decided<ConcertView> DecideCreate(SaleRegistry& sales, SaleJournal& journal, ConcertDetails details,
                                  const std::vector<SchedulePlan>& schedules, const Operator& actor) {
  const auto now = actor.at;
  const auto detail = DescribeConcert(details, schedules);
  const std::lock_guard ids_lock(sales.ids_mutex);
  auto owned = std::make_unique<Sale>(Concert(sales.next_concert, std::move(details), now));
  auto& sale = *owned;
  sale.paused = journal.paused();
  const auto subject = AuditSubject(sales.next_concert);
  const AuditEntry audit{now, actor.name, "concert.create", subject, detail};
  return journal.Operate(&sale, actor, audit,
                         [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
                           ++sales.next_concert;
                           AddConcertRow(buffers.rows, concert);
                           AddDates(sales, concert, schedules, buffers.rows, now);
                           sales.Enter(std::move(owned));
                           sales.RegisterSchedules(sale);
                           return Done{};
                         });
}

Decided<ConcertView> DecideAddSchedules(SaleRegistry& sales, SaleJournal& journal, ConcertId id,
                                        const std::vector<SchedulePlan>& schedules, const Operator& actor) {
  auto* sale = sales.FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const auto now = actor.at;
  const auto subject = AuditSubject(id);
  const auto detail = DescribeDates(schedules);
  const AuditEntry audit{now, actor.name, "concert.add-dates", subject, detail};
  const std::lock_guard ids_lock(sales.ids_mutex);
  return journal.Operate(sale, actor, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    if (concert.cancelled()) return Refusal::kConcertCancelled;
    if (concert.closed()) return Refusal::kConcertClosed;
    AddDates(sales, concert, schedules, buffers.rows, now);
    concert.CountLife();
    UpdateConcertRow(buffers.rows, concert);
    sales.RegisterSchedules(*sale);
    return Done{};
  });
}

Decided<ConcertView> DecideOpen(SaleRegistry& sales, SaleJournal& journal, ConcertId id,
                                const Operator& actor) {
  auto* sale = sales.FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const auto now = actor.at;
  const auto subject = AuditSubject(id);
  const AuditEntry audit{now, actor.name, "concert.open", subject, ""};
  return journal.Operate(sale, actor, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    const auto opened = concert.Open(now);
    if (!opened) return opened;
    UpdateConcertRow(buffers.rows, concert);
    SaleJournal::RecordOpening(*sale, now, buffers);
    return Done{};
  });
}

}  // namespace

Task<Outcome<ConcertView>> EmbeddedBookingStore::CreateConcert(ConcertDetails details,
                                                               std::vector<SchedulePlan> schedules,
                                                               Operator actor) {
  return journal_.WhenDurable(DecideCreate(sales_, journal_, std::move(details), schedules, actor));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::AddSchedules(ConcertId concert,
                                                              std::vector<SchedulePlan> schedules,
                                                              Operator actor) {
  return journal_.WhenDurable(DecideAddSchedules(sales_, journal_, concert, schedules, actor));
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::OpenConcert(ConcertId concert, Operator actor) {
  return journal_.WhenDurable(DecideOpen(sales_, journal_, concert, actor));
}

Imported EmbeddedBookingStore::ReserveImported(ConcertId concert,
                                               std::span<const ScheduleSoldOut> schedules) {
  // Without the lock a new concert could get the id between the check and the reservation.
  const std::lock_guard ids_lock(sales_.ids_mutex);
  if (sales_.FindSale(concert)) return Imported::kKnown;
  for (const auto& schedule : schedules) {
    if (sales_.FindEntry(schedule.schedule)) return Imported::kScheduleTaken;
  }
  const auto raise = [](std::int64_t& next, std::int64_t above) {
    // The server never gives out ids above kLastGivenId, so higher imported ids need no reservation.
    if (above <= kLastGivenId) next = std::max(next, above + 1);
  };
  raise(sales_.next_concert, concert);
  for (const auto& schedule : schedules) raise(sales_.next_schedule, schedule.schedule);
  return Imported::kNew;
}

}  // namespace maejin::embedded
