// The outbox: booking events, written in the transaction that they report.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/mysql/pool.h"
#include "domain/booking/booking_event.h"

namespace maejin::mysql {

// Convert the fact of an outbox row to its payload, and back. Absent: the text is no payload of that kind.
std::string PayloadOf(const decltype(BookingEvent::fact)& fact);
std::optional<decltype(BookingEvent::fact)> ParsePayload(std::string_view kind, std::string_view payload);

// Applies the outbox to the boards, from every node at once. A node leases a concert that no other node has
// leased, reads its events, applies them in the order of their ids, and then acknowledges them: removes the
// rows and ends the lease. No transaction is open and no row is locked while events are applied.
//
// At least once: a node that dies before it acknowledges leaves the events to the next holder of the lease.
// Where applying takes longer than the lease, another node may apply the same events at the same time; the
// boards tolerate that.
class OutboxRelay {
 public:
  // False: the events were not applied, and stay in the outbox.
  using Apply = std::function<bool(std::vector<BookingEvent>)>;

  // If a node dies, the events of the concert that it leased wait this long.
  static constexpr Millis kLease{5'000};

  OutboxRelay(Pool& pool, Apply apply, Millis lease = kLease)
      : pool_(pool), apply_(std::move(apply)), lease_(lease) {}

  // Applies the events of one concert and returns their number; 0: nothing to do. Blocks. Refuses:
  // kUnavailable.
  Outcome<std::size_t> RunOnce();
  // Repeats RunOnce() until every concert with events is leased by another node, or none has events. Returns
  // the number of events.
  Outcome<std::size_t> RunUntilEmpty();

 private:
  struct Leased {
    ConcertId concert = 0;
    std::int64_t lease = 0;  // the fence: Acknowledge() ends only this lease
    std::vector<BookingEvent> events;
  };
  // True: a concert with events is free to lease. RunOnce() checks this first, without a transaction.
  Outcome<bool> HasWork();
  // No events: another node leased the concert first.
  Outcome<Leased> Lease();
  // Deletes the applied events, and ends the lease if it is still this one.
  Outcome<Done> Acknowledge(const Leased& leased, bool applied);

  Pool& pool_;
  Apply apply_;
  const Millis lease_;
  std::chrono::steady_clock::time_point added_leases_at_{};
};

}  // namespace maejin::mysql
