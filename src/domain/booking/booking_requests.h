// What operators and customers ask of a concert.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/booking/seat_map.h"
#include "domain/words.h"

namespace maejin {

// Which room a hold needs a queue token of.
enum class RoomKind : std::uint8_t { kOwn, kMain, kNone };
std::string_view Name(RoomKind room);
std::optional<RoomKind> RoomKindOf(std::string_view name);

// What the operator decides about a concert.
struct ConcertDetails {
  std::string title;
  std::string artist;
  std::string venue;
  Money price = 0;  // of seats whose section names none
  std::optional<Time> booking_open_at = {};
  Seconds hold{300};
  RoomKind room = RoomKind::kOwn;
  // Seats one customer may have (held or paid): in the concert, in one date. 0: any number.
  std::int32_t max_seats_per_user = 0;
  std::int32_t max_seats_per_date = 0;
  // How long a customer whose hold expired may hold nothing. 0: no such rule.
  Seconds cooldown{0};
};

struct SchedulePlan {
  Date date{};
  std::optional<Time> starts_at = {};
  std::optional<Time> booking_open_at = {};  // its own opening; absent: the concert's
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
