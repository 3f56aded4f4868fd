// Concerts and their dates: creating, opening, reading.
#include <algorithm>

#include "adapters/embedded/booking_sale.h"
#include "domain/ranking/import_ids.h"
#include "store/booking_audit.h"

namespace maejin::embedded {
Task<Outcome<ConcertView>> EmbeddedBookingStore::CreateConcert(ConcertDetails details,
                                                               std::vector<SchedulePlan> schedules,
                                                               Time now) {
  return WhenDurable(DecideCreate(std::move(details), schedules, now));
}

EmbeddedBookingStore::Decided<ConcertView> EmbeddedBookingStore::DecideCreate(
    ConcertDetails details, const std::vector<SchedulePlan>& schedules, Time now) {
  const Operator who{.at = now};
  const auto detail = DescribeConcert(details, schedules);
  const std::lock_guard ids_lock(ids_mutex_);
  auto owned = std::make_unique<Sale>(Concert(next_concert_, std::move(details), now));
  auto& sale = *owned;
  const auto subject = AuditSubject(next_concert_);
  const AuditEntry audit{now, who.name, "concert.create", subject, detail};
  return Operate(&sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    ++next_concert_;
    AddConcertRow(buffers.rows, concert);
    AddDates(concert, schedules, buffers.rows, now);
    Enter(std::move(owned));
    EnterSchedules(sale);
    return Done{};
  });
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::AddSchedules(ConcertId concert,
                                                              std::vector<SchedulePlan> schedules, Time now) {
  return WhenDurable(DecideAddSchedules(concert, schedules, now));
}

EmbeddedBookingStore::Decided<ConcertView> EmbeddedBookingStore::DecideAddSchedules(
    ConcertId id, const std::vector<SchedulePlan>& schedules, Time now) {
  auto* sale = FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const Operator who{.at = now};
  const auto subject = AuditSubject(id);
  const auto detail = DescribeDates(schedules);
  const AuditEntry audit{now, who.name, "concert.add-dates", subject, detail};
  const std::lock_guard ids_lock(ids_mutex_);
  return Operate(sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    if (concert.cancelled() || concert.closed()) return Refusal::kNotOpen;
    AddDates(concert, schedules, buffers.rows, now);
    EnterSchedules(*sale);
    return Done{};
  });
}

void EmbeddedBookingStore::AddDates(Concert& concert, const std::vector<SchedulePlan>& schedules,
                                    WriteSet& rows, Time now) {
  for (const auto& plan : schedules) {
    const auto& schedule = concert.AddSchedule(next_schedule_++, plan, now, now);
    AddScheduleRows(rows, concert.id(), schedule, plan);
  }
}

Task<Outcome<ConcertView>> EmbeddedBookingStore::OpenConcert(ConcertId concert, Time now) {
  return WhenDurable(DecideOpen(concert, now));
}

EmbeddedBookingStore::Decided<ConcertView> EmbeddedBookingStore::DecideOpen(ConcertId id, Time now) {
  auto* sale = FindSale(id);
  if (!sale) return {Refused{Refusal::kConcertNotFound, std::to_string(id)}};
  const Operator who{.at = now};
  const auto subject = AuditSubject(id);
  const AuditEntry audit{now, who.name, "concert.open", subject, ""};
  return Operate(sale, who, audit, [&](Concert& concert, TransitBuffers& buffers) -> Outcome<Done> {
    const auto opened = concert.Open(now);
    if (opened) UpdateConcertRow(buffers.rows, concert);
    return opened;
  });
}

Outcome<ConcertView> EmbeddedBookingStore::FindConcert(ConcertId id, Time now) const {
  const auto* sale = FindSale(id);
  if (!sale) return Refused{Refusal::kConcertNotFound, std::to_string(id)};
  const std::lock_guard lock(sale->mutex);
  return ViewOf(sale->concert, now);
}

std::vector<ConcertView> EmbeddedBookingStore::ListConcerts(ConcertId after, std::size_t limit,
                                                            Time now) const {
  std::vector<const Sale*> page;
  {
    const std::shared_lock lock(registry_mutex_);
    for (auto it = sales_.upper_bound(after); it != sales_.end() && page.size() < limit; ++it) {
      page.push_back(it->second.get());
    }
  }
  std::vector<ConcertView> views;
  for (const auto* sale : page) {
    const std::lock_guard lock(sale->mutex);
    views.push_back(ViewOf(sale->concert, now));
  }
  return views;
}

std::optional<Stock> EmbeddedBookingStore::StockAtOnce(ConcertId id) const {
  const auto* sale = FindSale(id);
  if (!sale) return {};
  return Stock{sale->total.load(std::memory_order_relaxed), sale->available.load(std::memory_order_relaxed),
               sale->held.load(std::memory_order_relaxed)};
}

Stock EmbeddedBookingStore::TotalStock() const {
  Stock sum;
  for (const auto* sale : AllSales()) {
    sum.total += sale->total.load(std::memory_order_relaxed);
    sum.available += sale->available.load(std::memory_order_relaxed);
    sum.held += sale->held.load(std::memory_order_relaxed);
  }
  return sum;
}

Outcome<SaleView> EmbeddedBookingStore::SaleAtOnce(ScheduleId schedule, Time now) const {
  const auto* entry = FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& concert = entry->sale->concert;
  const auto on_sale = concert.OnSale(schedule, now);
  if (!on_sale) return on_sale.error();
  return SaleView{concert.id(), concert.details().room};
}

std::optional<std::uint64_t> EmbeddedBookingStore::SeatsVersionAtOnce(ScheduleId schedule) const {
  const auto* entry = FindEntry(schedule);
  if (!entry) return {};
  return entry->version.load(std::memory_order_acquire);
}

Outcome<SeatsView> EmbeddedBookingStore::ReadSeats(ScheduleId schedule) const {
  const auto* entry = FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& seats = entry->schedule->seats;
  return SeatsView{schedule, seats.version(), seats.layout(), seats.states(), seats.counts()};
}

Outcome<std::optional<SeatChanges>> EmbeddedBookingStore::ReadSeatChanges(ScheduleId schedule,
                                                                          std::uint64_t version) const {
  const auto* entry = FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& seats = entry->schedule->seats;
  const auto changed = seats.ChangedSince(version);
  if (!changed) return std::optional<SeatChanges>{};
  SeatChanges changes;
  changes.version = seats.version();
  for (const auto seat : *changed) changes.changes.push_back({seat, seats.StateOf(seat)});
  return std::optional<SeatChanges>{std::move(changes)};
}

Imported EmbeddedBookingStore::ClaimImported(ConcertId concert, std::span<const ScheduleSoldOut> schedules) {
  // Without the lock a concert could get the number between the look and the claim.
  const std::lock_guard ids_lock(ids_mutex_);
  if (FindSale(concert)) return Imported::kKnown;
  for (const auto& schedule : schedules) {
    if (FindEntry(schedule.schedule)) return Imported::kScheduleTaken;
  }
  const auto raise = [](std::int64_t& next, std::int64_t above) {
    // Ids made from the content of an import lie above all that are ever given out here.
    if (above < kFirstImportedId) next = std::max(next, above + 1);
  };
  raise(next_concert_, concert);
  for (const auto& schedule : schedules) raise(next_schedule_, schedule.schedule);
  return Imported::kNew;
}

}  // namespace maejin::embedded
