// Inside of the embedded booking store: one concert on sale, its lock, and the way every transition takes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "adapters/embedded/booking_rows.h"
#include "adapters/embedded/booking_store.h"

namespace maejin::embedded {

// How many expired holds one transition or one tick ends under one lock; the rest follows at the next.
inline constexpr std::size_t kMaxExpiredAtOnce = 1024;

struct EmbeddedBookingStore::ScheduleEntry {
  Sale* sale = nullptr;
  const Schedule* schedule = nullptr;  // what changes in it is guarded by sale->mutex
  std::atomic<std::uint64_t> version{0};
};

struct EmbeddedBookingStore::Sale {
  explicit Sale(Concert on_sale) : concert(std::move(on_sale)) {}

  mutable std::mutex mutex;
  Concert concert;                      // guarded by mutex
  Ticket newest = 0;                    // guarded by mutex: of the last change
  std::vector<ScheduleEntry*> entries;  // guarded by mutex; in the order of concert.schedules()
  // Written under mutex, read by anybody.
  std::atomic<std::int64_t> total{0};
  std::atomic<std::int64_t> available{0};
  std::atomic<std::int64_t> held{0};
  std::atomic<std::int64_t> next_due_ms{INT64_MAX};
};

// A concert as it is at `now`. Call with its lock held.
ConcertView ViewOf(const Concert& concert, Time now);

// Buffers of one thread, used again by every transition it runs.
struct TransitBuffers {
  BookingChanges changes;
  WriteSet rows;
  std::vector<BookingEvent> events;

  static TransitBuffers& OfThisThread() {
    thread_local TransitBuffers buffers;
    buffers.changes.Clear();
    buffers.rows.Clear();
    return buffers;
  }
};

template <class Decide>
auto EmbeddedBookingStore::Transit(Sale& sale, Time now, Decide&& decide) {
  auto& buffers = TransitBuffers::OfThisThread();
  const std::lock_guard lock(sale.mutex);
  sale.concert.ExpireDue(now, kMaxExpiredAtOnce, buffers.changes);
  auto outcome = decide(sale.concert, buffers);
  using Value = std::remove_cvref_t<decltype(*outcome)>;
  const auto ticket = Write(sale, buffers);
  return Decided<Value>{std::move(outcome), ticket};
}

template <class Act>
EmbeddedBookingStore::Decided<ConcertView> EmbeddedBookingStore::Operate(Sale* sale, const Operator& who,
                                                                         const AuditEntry& entry, Act&& act) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  auto& buffers = TransitBuffers::OfThisThread();
  const std::lock_guard lock(sale->mutex);
  const Outcome<Done> done = act(sale->concert, buffers);
  if (!done) return {done.error()};
  WriteRecords(buffers);
  {
    const std::lock_guard events_lock(events_mutex_);
    WriteEvents(*sale, buffers);
    sale->newest = audit_.Append(buffers.rows, entry, buffers.events);
  }
  Publish(*sale);  // what the action sets going (refunds of a cancelled date) goes on at the next tick
  return {ViewOf(sale->concert, who.at), sale->newest};
}

template <class T>
Task<Outcome<T>> EmbeddedBookingStore::WhenDurable(Decided<T> decided) {
  if (!decided.outcome) co_return std::move(decided.outcome);
  const auto committed = co_await journal_.Committed(decided.ticket);
  if (!committed) co_return committed.error();
  co_return std::move(decided.outcome);
}

}  // namespace maejin::embedded
