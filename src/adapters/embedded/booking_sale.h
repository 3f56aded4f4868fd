// One concert in memory: the concert, its lock, and the values that are read without the lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "adapters/embedded/journal.h"
#include "domain/booking/concert.h"
#include "store/booking_store.h"

namespace maejin::embedded {

struct Sale;

struct ScheduleEntry {
  Sale* sale = nullptr;
  const Schedule* schedule = nullptr;  // its mutable members are guarded by sale->mutex
  std::atomic<std::uint64_t> version{0};
};

struct Sale {
  explicit Sale(Concert made) : room(made.details().room), concert(std::move(made)) {}

  const RoomKind room;
  mutable std::mutex mutex;
  Concert concert;                      // guarded by mutex
  Ticket newest = 0;                    // guarded by mutex: the ticket of the last change
  Millis paused{0};                     // guarded by mutex: pauses that its deadlines were extended by
  std::vector<ScheduleEntry*> entries;  // guarded by mutex; in the order of concert.schedules()
  bool opening_recorded = false;        // guarded by mutex: the feed has the beginning of its sale
  // Written under mutex, read without it.
  struct Seats {
    std::atomic<std::int64_t> total{0};
    std::atomic<std::int64_t> available{0};
    std::atomic<std::int64_t> held{0};
  };
  Seats all;      // of dates that are not cancelled
  Seats on_sale;  // of the dates in `all` that are still on sale
  std::atomic<SaleEnd> end{SaleEnd::kNone};
  std::atomic<bool> has_dates{false};  // a date that is not cancelled
  std::atomic<std::int64_t> life{0};
  std::atomic<Ticket> life_ticket{0};  // the ticket of the change that set `life`
  std::atomic<std::int64_t> next_due_ms{INT64_MAX};
  std::atomic<std::int64_t> opens_ms{INT64_MAX};  // the time of the opening, until the opening is recorded
};

// The concert at `now`. Call with its lock held.
ConcertView ViewOf(const Concert& concert, Time now);
// A reservation and its newest payment. Call with the lock held.
PaymentOutcome OutcomeOf(const Sale& sale, Concert::ReservationIndex index);

}  // namespace maejin::embedded
