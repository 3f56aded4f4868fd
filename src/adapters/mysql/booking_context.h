// What the parts of the booking store share: the pool, the mirror, and how a committed transaction reaches
// the mirror.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "adapters/mysql/booking_mirror.h"
#include "adapters/mysql/pool.h"
#include "base/random.h"
#include "store/booking_counters.h"
#include "store/booking_store.h"

namespace maejin::mysql {

// The changes of a transaction, for the mirror and the counters; published after the commit.
struct MirrorChanges {
  struct SoldOut {
    ConcertId concert;
    ScheduleId schedule;
    Time at;
    bool whole_concert;
  };
  struct Counted {
    Reservation reservation;
    bool added = false;
  };
  std::vector<SeatsMoved> moved;
  std::vector<ShardSnapshot> snapshots;
  std::vector<SoldOut> sold_outs;
  std::shared_ptr<const ConcertRecord> concert;
  std::vector<Counted> counted;
  ConcertId paid_concert = 0;
  Time paid_at{};
};

template <class T>
struct Decided {
  T value;
  MirrorChanges changes = {};
};

// One date and its concert.
struct SaleOf {
  std::shared_ptr<const ConcertRecord> concert;
  std::shared_ptr<const ScheduleRecord> schedule;
};

// Thread-safe. `pool` and `random` outlive it.
struct BookingContext {
  BookingContext(Pool& with_pool, Random& with_random) : pool(with_pool), random(with_random) {}

  // Brings the mirror and the counters up to date.
  void Publish(const MirrorChanges& changes);
  // Publishes the changes of a committed transaction, then returns its result.
  template <class T>
  Task<Outcome<T>> Published(Task<Outcome<Decided<T>>> deciding);
  // `work(connection, attempt)` is one transaction.
  template <class T, class Work>
  Task<Outcome<T>> Transit(Work work) {
    return Published<T>(pool.Write(std::move(work)));
  }
  // Reads the mirror, or the database if the mirror may be stale. Refuses: kConcertNotFound,
  // kScheduleNotFound.
  Outcome<SaleOf> FindSale(Connection& connection, ConcertId concert, ScheduleId schedule, Time now) const;
  PaymentOutcome OutcomeOf(Reservation reservation, std::optional<Payment> payment) const;

  Pool& pool;
  Random& random;
  BookingMirror mirror;
  BookingCounters* counters = nullptr;
  // Announces changes to the other nodes; may be empty.
  std::function<void(const MirrorChanges&)> announce;
};

// Reads the concert in this transaction, and the seats of dates that the mirror does not know.
Decided<ConcertId> ReadForMirror(Connection& connection, const BookingMirror& mirror, ConcertId concert);

template <class T>
Task<Outcome<T>> BookingContext::Published(Task<Outcome<Decided<T>>> deciding) {
  auto decided = co_await std::move(deciding);
  if (!decided) co_return decided.error();
  Publish(decided->changes);
  co_return std::move(decided->value);
}

inline Refused NotFound(const ReservationRef& ref) {
  return {Refusal::kReservationNotFound, ref.reservation.ToString()};
}

}  // namespace maejin::mysql
