#include "adapters/embedded/booking_store.h"

#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {
namespace {

// Event ids are claimed on disk this many at a time.
constexpr std::uint64_t kEventBlock = 100'000;

}  // namespace

EmbeddedBookingStore::EmbeddedBookingStore(Journal& journal, AuditLog& audit, Random& random)
    : journal_(journal), audit_(audit), random_(random) {}
EmbeddedBookingStore::~EmbeddedBookingStore() = default;

EmbeddedBookingStore::Sale* EmbeddedBookingStore::FindSale(ConcertId concert) const {
  const std::shared_lock lock(registry_mutex_);
  const auto found = sales_.find(concert);
  return found == sales_.end() ? nullptr : found->second.get();
}

EmbeddedBookingStore::ScheduleEntry* EmbeddedBookingStore::FindEntry(ScheduleId schedule) const {
  const std::shared_lock lock(registry_mutex_);
  const auto found = schedule_entries_.find(schedule);
  return found == schedule_entries_.end() ? nullptr : found->second.get();
}

std::vector<EmbeddedBookingStore::Sale*> EmbeddedBookingStore::AllSales() const {
  const std::shared_lock lock(registry_mutex_);
  std::vector<Sale*> all;
  all.reserve(sales_.size());
  for (const auto& [id, sale] : sales_) all.push_back(sale.get());
  return all;
}

void EmbeddedBookingStore::Enter(std::unique_ptr<Sale> sale) {
  const std::unique_lock lock(registry_mutex_);
  sales_.emplace(sale->concert.id(), std::move(sale));
}

// Call with the sale's lock held: makes dates findable that were added to the concert.
void EmbeddedBookingStore::EnterSchedules(Sale& sale) {
  const std::unique_lock lock(registry_mutex_);
  const auto& schedules = sale.concert.schedules();
  for (auto i = sale.entries.size(); i < schedules.size(); ++i) {
    auto entry = std::make_unique<ScheduleEntry>();
    entry->sale = &sale;
    entry->schedule = &schedules[i];
    sale.entries.push_back(entry.get());
    schedule_entries_.emplace(schedules[i].id, std::move(entry));
  }
}

Outcome<EmbeddedBookingStore::ReservationPlace> EmbeddedBookingStore::Find(const Claim& claim) const {
  const auto place = reservations_.Find(claim.reservation);
  if (!place) return Refusal::kReservationNotFound;
  return *place;
}

void EmbeddedBookingStore::WriteRecords(TransitBuffers& buffers) {
  if (counters_) counters_->Count(buffers.changes);
  for (const auto& row : buffers.changes.rows) {
    const auto write = [&](const auto* record) {
      if (row.added) {
        AddRow(buffers.rows, *record);
      } else {
        UpdateRow(buffers.rows, *record);
      }
    };
    std::visit(write, row.record);
  }
}

// Call with events_mutex_ held.
std::uint64_t EmbeddedBookingStore::NextEvent(WriteSet& rows) {
  if (next_event_ == event_limit_) {
    event_limit_ += kEventBlock;
    SetCounterRow(rows, kNextEvent, event_limit_);
  }
  return next_event_++;
}

// Call with events_mutex_ held.
void EmbeddedBookingStore::WriteEvents(const Sale& sale, TransitBuffers& buffers) {
  buffers.events.clear();
  for (auto& fact : buffers.changes.facts) {
    buffers.events.push_back({NextEvent(buffers.rows), std::move(fact)});
    AddFactRows(buffers.rows, buffers.events.back());
  }
  for (const auto* payment : buffers.changes.refunds_due) {
    AddRefundRow(buffers.rows, NextEvent(buffers.rows), sale.concert.id(), *payment);
  }
}

Ticket EmbeddedBookingStore::Write(Sale& sale, TransitBuffers& buffers) {
  // Also without a change: a deadline that was passed by (the hold was paid) is due no longer.
  sale.next_due_ms.store(ToMillis(sale.concert.NextDue()), std::memory_order_relaxed);
  if (buffers.rows.empty() && buffers.changes.empty()) return sale.newest;
  WriteRecords(buffers);
  {
    const std::lock_guard lock(events_mutex_);
    WriteEvents(sale, buffers);
    sale.newest = journal_.Append(buffers.rows, buffers.events);
  }
  Publish(sale);
  return sale.newest;
}

void EmbeddedBookingStore::Publish(Sale& sale) {
  const auto& counts = sale.concert.counts();
  sale.total.store(counts.ForSale(), std::memory_order_relaxed);
  sale.available.store(counts.available, std::memory_order_relaxed);
  sale.held.store(counts.held, std::memory_order_relaxed);
  sale.next_due_ms.store(ToMillis(sale.concert.NextDue()), std::memory_order_relaxed);
  for (auto* entry : sale.entries) {
    entry->version.store(entry->schedule->seats.version(), std::memory_order_release);
  }
}

void EmbeddedBookingStore::ExpireHolds(Time now) {
  if (!journal_.Accepting()) return;
  for (auto* sale : AllSales()) {
    while (sale->next_due_ms.load(std::memory_order_relaxed) <= ToMillis(now)) {
      Transit(*sale, now, [](Concert&, TransitBuffers&) -> Outcome<Done> { return Done{}; });
    }
  }
}

}  // namespace maejin::embedded
