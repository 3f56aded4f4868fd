// The requests of operators and customers to a concert.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/color.h"
#include "base/time.h"
#include "domain/booking/seat_map.h"
#include "domain/waiting_room/pre_queue.h"
#include "domain/words.h"

namespace maejin {

// The room in which a fan must be admitted before a hold: the concert's own room, `main`, or none.
enum class RoomKind : std::uint8_t { kOwn, kMain, kNone };
std::string_view Name(RoomKind room);
std::optional<RoomKind> RoomKindOf(std::string_view name);

// The `life` of a new concert (ConcertLife).
inline constexpr std::int64_t kFirstLife = 1;

// What the operator decides about a concert.
struct ConcertDetails {
  std::string title;
  std::string artist;
  std::string venue;
  Money price = 0;  // of seats in sections without a price
  std::optional<Time> booking_open_at = {};
  Seconds hold{300};
  RoomKind room = RoomKind::kOwn;
  // Seats one customer may have (held or paid): in the concert, in one date. 0: any number.
  std::int32_t max_seats_per_user = 0;
  std::int32_t max_seats_per_date = 0;
  // How long a customer may hold nothing after several unpaid holds (UnpaidHolds in limits.h). 0: no such
  // rule.
  Seconds cooldown{0};
  bool listed = true;  // false: in no public list
  bool ranked = true;  // false: on no board
  // Color and organizer on the concert's pages; absent: those of the server.
  std::optional<Color> color = {};
  std::optional<std::string> organizer = {};
  NamedPreQueue pre_queue = {};  // of the concert's own room
};

// A change of a concert. An absent field is unchanged; an empty inner optional removes the value.
struct ConcertPatch {
  std::optional<std::string> title = {};
  std::optional<std::string> artist = {};
  std::optional<std::string> venue = {};
  std::optional<std::optional<Time>> booking_open_at = {};
  std::optional<Seconds> hold = {};
  std::optional<std::int32_t> max_seats_per_user = {};
  std::optional<std::int32_t> max_seats_per_date = {};
  std::optional<Seconds> cooldown = {};
  std::optional<bool> listed = {};
  std::optional<bool> ranked = {};
  std::optional<std::optional<Color>> color = {};
  std::optional<std::optional<std::string>> organizer = {};
  // Settings of the concert's own room.
  std::optional<PreQueueOrder> order = {};
  std::optional<std::optional<Time>> pre_queue_at = {};
};

// When the sale of a date ends: at the time that the operator set, else at the start of the show, else at the
// end of its day. `Schedule` is any record with date, starts_at, sales_end_at and day_ends_at.
template <class Schedule>
Time SalesEndOf(const Schedule& schedule) {
  if (schedule.sales_end_at) return *schedule.sales_end_at;
  if (schedule.starts_at) return *schedule.starts_at;
  return schedule.day_ends_at.value_or(std::chrono::sys_days(schedule.date) + std::chrono::days(1));
}

// The date to which an operator postpones a schedule.
struct NewDate {
  Date date{};
  std::optional<Time> starts_at = {};
  std::optional<Time> day_ends_at = {};
};

struct SchedulePatch {
  std::optional<std::optional<Time>> starts_at = {};
  std::optional<std::optional<Time>> sales_end_at = {};
};

struct SchedulePlan {
  Date date{};
  std::optional<Time> starts_at = {};
  std::optional<Time> sales_end_at = {};     // set by the operator; absent: the default (SalesEndOf)
  std::optional<Time> day_ends_at = {};      // the end of `date` in the server's time zone; absent: in UTC
  std::optional<Time> booking_open_at = {};  // the date's own opening; absent: the concert's
  std::vector<Section> sections = {};
  std::vector<SeatNumber> blocked = {};
  std::vector<SeatNumber> wheelchair = {};
};

struct HoldRequest {
  ScheduleId schedule = 0;
  // Either these seats (each once), or the best available.
  std::vector<SeatNumber> seats = {};
  std::optional<BestAvailable> best = {};
  UserId user = {};
  std::string idempotency_key = {};
};

struct PaymentRequest {
  Money amount = 0;
  std::string provider = "instant";
  std::string method = {};
};

}  // namespace maejin
