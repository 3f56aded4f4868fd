#include "http/booking_bodies.h"

#include <algorithm>

#include "http/json_body.h"

namespace maejin::http {
namespace {

constexpr IntRange kPrice{0, 1'000'000'000'000};
constexpr std::int64_t kMaxSeatsPerHold = 100;

Section ReadSection(JsonObject& json, Money default_price) {
  Section section;
  section.name = json.Text("name", {.min = 1, .max = 100});
  section.rows = static_cast<std::int32_t>(json.Int("rows", {1, kMaxSeatsPerSchedule}));
  section.seats_per_row = static_cast<std::int32_t>(json.Int("seatsPerRow", {1, kMaxSeatsPerSchedule}));
  section.price = json.OptionalInt("price", kPrice).value_or(default_price);
  json.Finish();
  return section;
}

std::vector<SeatNumber> ReadSeatNumbers(JsonObject& json, std::string_view name, std::int64_t seats) {
  std::vector<SeatNumber> numbers;
  if (!json.Has(name)) return numbers;
  for (const auto number :
       json.Ints(name, {0, kMaxSeatsPerSchedule}, {1, std::max<std::int64_t>(1, seats)})) {
    numbers.push_back(static_cast<SeatNumber>(number));
  }
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end())
    json.Refuse(name, "names a seat twice");
  return numbers;
}

SchedulePlan ReadSchedule(JsonObject& json, Money default_price) {
  SchedulePlan plan;
  plan.date = json.Day("concertDate");
  plan.starts_at = json.OptionalInstant("startsAt");
  plan.booking_open_at = json.OptionalInstant("bookingOpenAt");
  if (json.Has("seats") && json.Has("sections")) json.Refuse("seats", "give either seats or sections");
  if (json.Has("sections")) {
    for (auto& section : json.Objects("sections", {1, 1000})) {
      plan.sections.push_back(ReadSection(section, default_price));
    }
  } else {
    const auto seats = static_cast<std::int32_t>(json.Int("seats", {1, kMaxSeatsPerSchedule}));
    plan.sections.push_back({"A", 1, seats, default_price});
  }
  std::int64_t seats = 0;
  for (const auto& section : plan.sections) seats += section.Seats();
  if (seats > kMaxSeatsPerSchedule) json.Refuse("sections", "more than 100000 seats");
  plan.blocked = ReadSeatNumbers(json, "blocked", seats);
  plan.wheelchair = ReadSeatNumbers(json, "wheelchair", seats);
  json.Finish();
  return plan;
}

std::vector<SchedulePlan> ReadSchedules(JsonObject& json, IntRange count, Money default_price) {
  std::vector<SchedulePlan> plans;
  for (auto& schedule : json.Objects("schedules", count))
    plans.push_back(ReadSchedule(schedule, default_price));
  return plans;
}

BestAvailable ReadBest(JsonObject& json) {
  BestAvailable best;
  best.count = static_cast<std::int32_t>(json.Int("best", {1, kMaxSeatsPerHold}));
  best.section = json.OptionalText("section", {.min = 1, .max = 100});
  best.max_price = json.OptionalInt("maxPrice", kPrice);
  best.cheapest_first = json.OptionalChoice("prefer", {"distance", "price"}).value_or(0) == 1;
  return best;
}

}  // namespace

Outcome<ConcertBody> ReadConcertBody(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  ConcertBody read;
  auto& details = read.details;
  details.title = json.Text("title", {.min = 1, .max = 200});
  details.artist = json.Text("artist", {.min = 1, .max = 200});
  details.venue = json.Text("venue", {.min = 1, .max = 200});
  details.price = json.OptionalInt("price", kPrice).value_or(0);
  details.booking_open_at = json.OptionalInstant("bookingOpenAt");
  details.hold = Seconds{json.OptionalInt("holdSeconds", {1, 86'400}).value_or(300)};
  details.room = static_cast<RoomKind>(json.OptionalChoice("room", {"own", "main", "none"}).value_or(0));
  details.max_seats_per_user =
      static_cast<std::int32_t>(json.OptionalInt("maxSeatsPerUser", {0, 100'000}).value_or(0));
  details.max_seats_per_date =
      static_cast<std::int32_t>(json.OptionalInt("maxSeatsPerDate", {0, 100'000}).value_or(0));
  details.cooldown = Seconds{json.OptionalInt("cooldownSeconds", {0, 86'400}).value_or(0)};
  read.schedules = ReadSchedules(json, {0, 1000}, details.price);
  if (auto refused = body.Finish()) return std::move(*refused);
  return read;
}

Outcome<std::vector<SchedulePlan>> ReadSchedulesBody(const Request& request, Money default_price) {
  JsonBody body(request);
  auto plans = ReadSchedules(body.root(), {1, 1000}, default_price);
  if (auto refused = body.Finish()) return std::move(*refused);
  return plans;
}

Outcome<HoldBody> ReadHoldBody(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  HoldBody read;
  read.request.schedule = json.Int("scheduleId", {1, INT64_MAX});
  read.user = json.OptionalText("userId", {.min = 1, .max = 128});
  if (json.Has("best")) {
    if (json.Has("seats")) json.Refuse("best", "give either seats or best");
    read.request.best = ReadBest(json);
  } else {
    for (const auto seat : json.Ints("seats", {1, kMaxSeatsPerHold}, {1, INT32_MAX})) {
      read.request.seats.push_back(static_cast<SeatNumber>(seat));
    }
    std::sort(read.request.seats.begin(), read.request.seats.end());
    const auto& seats = read.request.seats;
    if (std::adjacent_find(seats.begin(), seats.end()) != seats.end())
      json.Refuse("seats", "names a seat twice");
  }
  if (auto refused = body.Finish()) return std::move(*refused);
  return read;
}

Outcome<PaymentBody> ReadPaymentBody(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  PaymentBody read;
  read.request.amount = json.Int("amount", {0, INT64_MAX});
  read.request.method = json.OptionalText("method", {.min = 0, .max = 50}).value_or("");
  read.user = json.OptionalText("userId", {.min = 1, .max = 128});
  if (auto refused = body.Finish()) return std::move(*refused);
  return read;
}

}  // namespace maejin::http
