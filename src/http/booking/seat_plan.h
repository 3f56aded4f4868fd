// The seat plan of a date, as JSON: sections of rows, prices, blocked and wheelchair seats, the time of the
// show. One form for new concerts, added dates and imported files.
#pragma once

#include <string_view>

#include "domain/booking/concert.h"
#include "domain/refusal.h"
#include "http/json_body.h"

namespace maejin::http {

// The allowed range of a price or a limit.
inline constexpr IntRange kPrices{0, 1'000'000'000'000};

// Reads a date with its seats; adds errors to the object's. Sections without a price get `default_price`.
SchedulePlan ReadSeatPlan(JsonObject& json, Money default_price);

// The same from a text. Refuses: kInvalidJson, kInvalidField.
Outcome<SchedulePlan> ParseSeatPlan(std::string_view text, Money default_price);

}  // namespace maejin::http
