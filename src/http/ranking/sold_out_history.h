// One imported sell-out, from its JSON text.
#pragma once

#include <string_view>

#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin::http {

// {concertId?, title, artist, venue, bookingOpenAt, soldOutAt, schedules: [{id?, concertDate, seats,
// bookingOpenAt?, soldOutAt?}]}. A schedule without times of its own has its concert's. Refuses:
// kInvalidJson, kInvalidField (also for unknown fields).
Outcome<SoldOutHistory> ParseSoldOutHistory(std::string_view text);

}  // namespace maejin::http
