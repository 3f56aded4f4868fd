#include "adapters/embedded/sale_journal.h"

#include "store/booking_events.h"

namespace maejin::embedded {
namespace {

// Event ids are reserved on disk in blocks of this size.
constexpr std::uint64_t kEventBlock = 100'000;

}  // namespace

void SaleJournal::WriteRecords(Time now, TransitBuffers& buffers) {
  AppendEvents(buffers.drafts, buffers.changes, now);
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

std::uint64_t SaleJournal::NextEvent(WriteSet& rows) {
  if (next_event_ == event_limit_) {
    event_limit_ += kEventBlock;
    SetCounterRow(rows, kNextEvent, event_limit_);
  }
  return next_event_++;
}

void SaleJournal::WriteEvents(const Sale& sale, TransitBuffers& buffers) {
  buffers.events.clear();
  for (auto& fact : buffers.changes.facts) {
    if (!sale.concert.details().ranked) {
      AddUnrankedRow(buffers.rows, fact);
      continue;
    }
    buffers.events.push_back({NextEvent(buffers.rows), std::move(fact)});
    AddFactRows(buffers.rows, buffers.events.back());
  }
}

void SaleJournal::RecordOpening(Sale& sale, Time now, TransitBuffers& buffers) {
  if (sale.opening_recorded) return;
  sale.opening_recorded = true;
  AddOpeningRow(buffers.rows, sale.concert.id());
  AppendOpened(buffers.drafts, sale.concert.id(), *sale.concert.details().booking_open_at, now);
}

Ticket SaleJournal::Write(Sale& sale, Time now, TransitBuffers& buffers) {
  // Without a change, Publish() still runs if a due time has passed: the hold may be paid, or the sale of a
  // date may have ended.
  if (buffers.rows.empty() && buffers.changes.empty()) {
    if (ToMillis(now) >= sale.next_due_ms.load(std::memory_order_relaxed)) Publish(sale, now);
    return sale.newest;
  }
  WriteRecords(now, buffers);
  {
    const std::lock_guard lock(events_mutex_);
    WriteEvents(sale, buffers);
    sale.newest = journal_.Append(buffers.rows, buffers.events, buffers.drafts);
  }
  Publish(sale, now);
  return sale.newest;
}

std::int64_t SaleJournal::DurableLife(const Sale& sale) const {
  const auto life = sale.life.load(std::memory_order_acquire);  // first: life_ticket is at least as new
  return journal_.IsCommitted(sale.life_ticket.load(std::memory_order_relaxed)) ? life : 0;
}

void SaleJournal::Publish(Sale& sale, Time now) {
  const auto store = [](Sale::Seats& seats, const SeatCounts& counts) {
    seats.total.store(counts.ForSale(), std::memory_order_relaxed);
    seats.available.store(counts.available, std::memory_order_relaxed);
    seats.held.store(counts.held, std::memory_order_relaxed);
  };
  const auto& concert = sale.concert;
  const auto facts = concert.FactsAt(now);
  store(sale.all, facts.counts);
  store(sale.on_sale, facts.on_sale);
  sale.end.store(SaleEndOf(StatusAt(facts, now)), std::memory_order_relaxed);
  sale.has_dates.store(facts.living > 0, std::memory_order_relaxed);
  if (sale.life.load(std::memory_order_relaxed) != concert.life()) {
    sale.life_ticket.store(sale.newest, std::memory_order_relaxed);
    sale.life.store(concert.life(), std::memory_order_release);
  }
  const auto due = std::min(concert.NextDue(), concert.NextSalesEnd(now));
  sale.next_due_ms.store(ToMillis(due), std::memory_order_relaxed);
  const auto& opens_at = sale.concert.details().booking_open_at;
  const bool opens =
      opens_at && !sale.opening_recorded && !sale.concert.cancelled() && !sale.concert.closed();
  sale.opens_ms.store(opens ? ToMillis(*opens_at) : INT64_MAX, std::memory_order_relaxed);
  for (auto* entry : sale.entries) {
    entry->version.store(entry->schedule->seats.version(), std::memory_order_release);
  }
}

}  // namespace maejin::embedded
