// Reads the bodies of booking requests into commands; refuses the first invalid field by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/booking/concert.h"
#include "domain/refusal.h"
#include "server/request.h"

namespace maejin::http {

struct ConcertBody {
  ConcertDetails details;
  std::vector<SchedulePlan> schedules;
};
Outcome<ConcertBody> ReadConcertBody(const Request& request);

Outcome<ConcertPatch> ReadConcertPatch(const Request& request);
Outcome<SchedulePatch> ReadSchedulePatch(const Request& request);

// A section without a price gets `default_price`, the price of the concert.
Outcome<std::vector<SchedulePlan>> ReadSchedulesBody(const Request& request, Money default_price);

inline constexpr std::int64_t kMaxSeatsPerHold = 100;

struct HoldBody {
  HoldRequest request;
  std::optional<std::string> user;
};
// Either `seats` (1…100 different numbers) or `best`: how many adjacent seats the server shall choose, with
// `section`, `maxPrice` and `prefer` ("order", "distance", "price") to narrow the choice.
Outcome<HoldBody> ReadHoldBody(const Request& request);

struct PaymentBody {
  PaymentRequest request;
  std::optional<std::string> user;
};
Outcome<PaymentBody> ReadPaymentBody(const Request& request);

}  // namespace maejin::http
