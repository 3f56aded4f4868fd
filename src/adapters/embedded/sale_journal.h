// Makes transitions of concerts durable. A transition is decided and appended to the journal under the
// concert's lock, and answered after the commit.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/booking_rows.h"
#include "adapters/embedded/booking_sale.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/pause_watch.h"
#include "domain/booking/concert_upkeep.h"
#include "store/booking_counters.h"
#include "store/booking_operations.h"

namespace maejin::embedded {

// The maximum of expired holds that one transition or tick ends. Later transitions and ticks end the others.
inline constexpr std::size_t kMaxExpiredAtOnce = 1024;

// The answer of a transition, and the ticket that must be committed before the answer leaves.
template <class T>
struct Decided {
  Outcome<T> outcome;
  Ticket ticket = 0;
};

// Reusable buffers of one thread.
struct TransitBuffers {
  BookingChanges changes;
  WriteSet rows;
  std::vector<BookingEvent> events;
  std::vector<EventDraft> drafts;

  static TransitBuffers& OfThisThread() {
    thread_local TransitBuffers buffers;
    buffers.changes.Clear();
    buffers.rows.Clear();
    buffers.drafts.clear();
    return buffers;
  }
};

// Thread-safe. Journal and audit log outlive it.
class SaleJournal {
 public:
  // `pause_after`: see PauseWatch.
  SaleJournal(Journal& journal, AuditLog& audit, std::optional<Millis> pause_after)
      : journal_(journal), audit_(audit), pauses_(pause_after) {}

  // False: the disk takes no writes; transitions are refused with kUnavailable.
  bool Accepting() const { return journal_.Accepting(); }
  // Counts all later decisions in `counters`. Call before the first transition.
  void CountWith(BookingCounters& counters) { counters_ = &counters; }
  // `next` is above all used event ids. Call before the first transition.
  void StartEventsAt(std::uint64_t next) { next_event_ = event_limit_ = next; }

  // Call at every tick; Transit() calls it too.
  void NoticePause(Time now) { pauses_.Notice(now); }
  // The sum of all pauses so far. A new sale starts with it in Sale::paused.
  Millis paused() const { return pauses_.total(); }
  // Increases after every action of an operator on a concert.
  std::uint64_t actions() const { return actions_.load(std::memory_order_acquire); }
  // ConcertLife::life(), or 0 while the change that set it is not on disk.
  std::int64_t DurableLife(const Sale& sale) const;
  // Under the sale's lock: extends holds by a pause, ends expired holds, runs `decide(concert, buffers)`, and
  // appends the changes to the journal.
  template <class Decide>
  auto Transit(Sale& sale, Time now, Decide&& decide);
  // Runs `act(concert, buffers)` and writes its rows and events together with the audit row.
  template <class Act>
  Decided<ConcertView> Operate(Sale* sale, const Operator& actor, const AuditEntry& entry, Act&& act);
  // Runs `act(concert, buffers)`, then `describe(concert)`, which returns the outcome and the entry's detail.
  // If `act` changed nothing, the audit log gets no row.
  template <class Act, class Describe>
  auto OperateOn(Sale& sale, AuditEntry entry, Act&& act, Describe&& describe);
  // Runs `change(concert, rows)` and writes the rows. For changes without an event.
  template <class Change>
  void Rewrite(Sale& sale, Change&& change);
  // Appends `rows` and the audit row, after everything that was appended before.
  Ticket AppendAudit(WriteSet& rows, const AuditEntry& entry) { return audit_.Append(rows, entry); }
  // Returns the outcome after the commit of its ticket. A refusal returns at once.
  template <class T>
  Task<Outcome<T>> WhenDurable(Decided<T> decided) const;
  // Adds the opening of the concert to the feed, unless the feed has it. Call with the sale's lock held.
  static void RecordOpening(Sale& sale, Time now, TransitBuffers& buffers);
  // Updates the values that are read without the lock. Call with the lock held.
  static void Publish(Sale& sale, Time now);

 private:
  // Appends rows, events and counts of the changes, then calls Publish(). Call with the concert's lock held.
  Ticket Write(Sale& sale, Time now, TransitBuffers& buffers);
  // Adds the rows of the changes, and the events of the feed, to the buffers.
  void WriteRecords(Time now, TransitBuffers& buffers);
  // Call with events_mutex_ held.
  void WriteEvents(const Sale& sale, TransitBuffers& buffers);
  std::uint64_t NextEvent(WriteSet& rows);

  Journal& journal_;
  AuditLog& audit_;
  PauseWatch pauses_;
  BookingCounters* counters_ = nullptr;
  std::atomic<std::uint64_t> actions_{0};
  // Held from assigning event ids until the journal has the events: ids increase in the order of commits.
  std::mutex events_mutex_;
  std::uint64_t next_event_ = 1;   // guarded by events_mutex_
  std::uint64_t event_limit_ = 1;  // ids below it are reserved on disk; guarded by events_mutex_
};

template <class Decide>
auto SaleJournal::Transit(Sale& sale, Time now, Decide&& decide) {
  auto& buffers = TransitBuffers::OfThisThread();
  pauses_.Notice(now);
  const std::lock_guard lock(sale.mutex);
  if (const auto paused = pauses_.total() - sale.paused; paused > Millis{0}) {
    sale.paused += paused;
    ConcertUpkeep::ExtendDeadlines(sale.concert, paused, buffers.changes);
  }
  sale.concert.ExpireDue(now, kMaxExpiredAtOnce, buffers.changes);
  auto outcome = decide(sale.concert, buffers);
  using Value = std::remove_cvref_t<decltype(*outcome)>;
  const auto ticket = Write(sale, now, buffers);
  return Decided<Value>{std::move(outcome), ticket};
}

template <class Act>
Decided<ConcertView> SaleJournal::Operate(Sale* sale, const Operator& actor, const AuditEntry& entry,
                                          Act&& act) {
  if (!journal_.Accepting()) return {Refusal::kUnavailable};
  auto& buffers = TransitBuffers::OfThisThread();
  const std::lock_guard lock(sale->mutex);
  const Outcome<Done> done = act(sale->concert, buffers);
  if (!done) return {done.error()};
  if (buffers.rows.empty() && buffers.changes.empty()) return {ViewOf(sale->concert, actor.at), sale->newest};
  WriteRecords(actor.at, buffers);
  {
    const std::lock_guard events_lock(events_mutex_);
    WriteEvents(*sale, buffers);
    sale->newest = audit_.Append(buffers.rows, entry, buffers.events, std::move(buffers.drafts));
  }
  Publish(*sale, actor.at);  // refunds of a cancelled date follow at the next tick
  actions_.fetch_add(1, std::memory_order_release);
  return {ViewOf(sale->concert, actor.at), sale->newest};
}

template <class Act, class Describe>
auto SaleJournal::OperateOn(Sale& sale, AuditEntry entry, Act&& act, Describe&& describe) {
  using Value = std::remove_cvref_t<decltype(describe(sale.concert).first)>;
  if (!journal_.Accepting()) return Decided<Value>{Refusal::kUnavailable};
  auto& buffers = TransitBuffers::OfThisThread();
  const std::lock_guard lock(sale.mutex);
  const Outcome<Done> done = act(sale.concert, buffers);
  if (!done) return Decided<Value>{done.error()};
  auto [value, detail] = describe(sale.concert);
  if (buffers.rows.empty() && buffers.changes.empty()) return Decided<Value>{std::move(value), sale.newest};
  entry.detail = detail;
  WriteRecords(entry.at, buffers);
  {
    const std::lock_guard events_lock(events_mutex_);
    WriteEvents(sale, buffers);
    sale.newest = audit_.Append(buffers.rows, entry, buffers.events, std::move(buffers.drafts));
  }
  Publish(sale, entry.at);
  return Decided<Value>{std::move(value), sale.newest};
}

template <class Change>
void SaleJournal::Rewrite(Sale& sale, Change&& change) {
  auto& buffers = TransitBuffers::OfThisThread();
  const std::lock_guard lock(sale.mutex);
  change(sale.concert, buffers.rows);
  if (!buffers.rows.empty()) sale.newest = journal_.Append(buffers.rows);
}

template <class T>
Task<Outcome<T>> SaleJournal::WhenDurable(Decided<T> decided) const {
  if (!decided.outcome) co_return std::move(decided.outcome);
  const auto committed = co_await journal_.Committed(decided.ticket);
  if (!committed) co_return committed.error();
  co_return std::move(decided.outcome);
}

}  // namespace maejin::embedded
