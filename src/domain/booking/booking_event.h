// Booking events: the source of rankings, webhooks and streams. An event is written in the transaction of its
// transition and delivered at least once, in order per concert; applying it is idempotent, by `id`.
#pragma once

#include <cstdint>
#include <variant>

#include "base/time.h"
#include "domain/words.h"

namespace maejin {

// Every seat for sale of one date is paid. Written once per schedule.
struct ScheduleSoldOut {
  ScheduleId schedule = 0;
  ConcertId concert = 0;
  Date concert_date{};
  std::int64_t seats = 0;
  Time started_at;   // the concert's opening, or the date's own start if it was added later
  Time sold_out_at;  // paidAt of the last seat

  friend bool operator==(const ScheduleSoldOut&, const ScheduleSoldOut&) = default;
};

// Every seat for sale of every date is paid. Written once per concert.
struct ConcertSoldOut {
  ConcertId concert = 0;
  std::string title;
  std::string artist;
  std::string venue;
  std::int64_t dates = 0;
  std::int64_t seats = 0;
  Time booking_open_at;
  Time sold_out_at;

  friend bool operator==(const ConcertSoldOut&, const ConcertSoldOut&) = default;
};

// Seats were reserved (held or paid: +) or came back (expired, cancelled, refunded: -).
struct ProgressChanged {
  ScheduleId schedule = 0;
  Date concert_date{};
  std::int64_t seats = 0;
  Time held_at;  // of the hold, also for returned seats: they are subtracted from the day they were added to
};

struct BookingEvent {
  std::uint64_t id = 0;  // strictly increasing
  std::variant<ScheduleSoldOut, ConcertSoldOut, ProgressChanged> fact;
};

}  // namespace maejin
