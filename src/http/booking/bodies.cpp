#include "http/booking/bodies.h"

#include <algorithm>

#include "http/booking/seat_plan.h"
#include "http/json_body.h"

namespace maejin::http {
namespace {

std::vector<SchedulePlan> ReadSchedules(JsonObject& json, IntRange count, Money default_price) {
  std::vector<SchedulePlan> plans;
  for (auto& schedule : json.Objects("schedules", count))
    plans.push_back(ReadSeatPlan(schedule, default_price));
  return plans;
}

BestAvailable ReadBest(JsonObject& json) {
  BestAvailable best;
  best.count = static_cast<std::int32_t>(json.Int("best", {1, kMaxSeatsPerHold}));
  best.section = json.OptionalText("section", {.min = 1, .max = 100});
  best.max_price = json.OptionalInt("maxPrice", kPrices);
  best.prefer =
      static_cast<SeatPreference>(json.OptionalChoice("prefer", {"order", "distance", "price"}).value_or(0));
  return best;
}

constexpr TextRange kNames = {.min = 1, .max = 200};
constexpr IntRange kHoldSeconds = {1, 86'400};
constexpr IntRange kSeatLimits = {0, 100'000};
constexpr IntRange kCooldowns = {0, 86'400};

// A field that is present and null removes the time.
std::optional<std::optional<Time>> RemovableInstant(JsonObject& json, std::string_view name) {
  const auto at = json.OptionalInstant(name);
  if (!json.Has(name)) return {};
  return at;
}

// A field that is present and null removes the colour.
std::optional<std::optional<Color>> RemovableColor(JsonObject& json) {
  const auto text = json.OptionalText("color");
  if (!json.Has("color")) return {};
  const auto color = text ? ParseColor(*text) : std::nullopt;
  if (text && !color) json.Refuse("color", "must be a colour such as #b9252b");
  return color;
}

// A field that is present and null removes the text.
std::optional<std::optional<std::string>> RemovableText(JsonObject& json, std::string_view name,
                                                        TextRange range) {
  auto text = json.OptionalText(name, range);
  if (!json.Has(name)) return {};
  return text;
}

// Returns 0, no limit, if the field is null or 0. Absent: the body does not have the field.
std::optional<std::int64_t> Limit(JsonObject& json, std::string_view name, IntRange range) {
  const auto limit = json.OptionalInt(name, range);
  if (!json.Has(name)) return {};
  return limit.value_or(0);
}

std::optional<PreQueueOrder> OptionalOrder(JsonObject& json) {
  const auto order = json.OptionalChoice("order", {"draw", "arrival"});
  if (!order) return {};
  return static_cast<PreQueueOrder>(*order);
}

}  // namespace

Outcome<ConcertBody> ReadConcertBody(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  ConcertBody read;
  auto& details = read.details;
  details.title = json.Text("title", kNames);
  details.artist = json.Text("artist", kNames);
  details.venue = json.Text("venue", kNames);
  details.price = json.Int("price", kPrices);
  details.booking_open_at = json.OptionalInstant("bookingOpenAt");
  details.hold = Seconds{json.OptionalInt("holdSeconds", kHoldSeconds).value_or(300)};
  details.room = static_cast<RoomKind>(json.OptionalChoice("room", {"own", "main", "none"}).value_or(0));
  details.max_seats_per_user =
      static_cast<std::int32_t>(Limit(json, "maxSeatsPerUser", kSeatLimits).value_or(kDefaultSeatsPerUser));
  details.max_seats_per_date =
      static_cast<std::int32_t>(Limit(json, "maxSeatsPerDate", kSeatLimits).value_or(0));
  details.cooldown = Seconds{Limit(json, "cooldownSeconds", kCooldowns).value_or(kDefaultCooldown.count())};
  details.listed = json.OptionalBool("listed").value_or(true);
  details.ranked = json.OptionalBool("ranked").value_or(true);
  details.color = RemovableColor(json).value_or(std::nullopt);
  details.organizer = json.OptionalText("organizer", kNames);
  if (const auto order = OptionalOrder(json)) details.pre_queue.order = {*order, kFirstLife};
  if (const auto at = RemovableInstant(json, "preQueueAt")) details.pre_queue.at = {*at, kFirstLife};
  // An empty list is valid: dates can be added later. An absent list is a mistake.
  if (!json.HasValue("schedules")) json.Refuse("schedules", "is required");
  read.schedules = ReadSchedules(json, {0, 1000}, details.price);
  if (auto refused = body.Finish()) return std::move(*refused);
  return read;
}

Outcome<ConcertPatch> ReadConcertPatch(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  ConcertPatch patch;
  patch.title = json.OptionalText("title", kNames);
  patch.artist = json.OptionalText("artist", kNames);
  patch.venue = json.OptionalText("venue", kNames);
  patch.booking_open_at = RemovableInstant(json, "bookingOpenAt");
  if (const auto seconds = json.OptionalInt("holdSeconds", kHoldSeconds)) patch.hold = Seconds{*seconds};
  if (const auto seats = Limit(json, "maxSeatsPerUser", kSeatLimits))
    patch.max_seats_per_user = static_cast<std::int32_t>(*seats);
  if (const auto seats = Limit(json, "maxSeatsPerDate", kSeatLimits))
    patch.max_seats_per_date = static_cast<std::int32_t>(*seats);
  if (const auto seconds = Limit(json, "cooldownSeconds", kCooldowns)) patch.cooldown = Seconds{*seconds};
  patch.listed = json.OptionalBool("listed");
  patch.ranked = json.OptionalBool("ranked");
  patch.color = RemovableColor(json);
  patch.organizer = RemovableText(json, "organizer", kNames);
  patch.order = OptionalOrder(json);
  patch.pre_queue_at = RemovableInstant(json, "preQueueAt");
  if (auto refused = body.Finish()) return std::move(*refused);
  return patch;
}

Outcome<SchedulePatch> ReadSchedulePatch(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  SchedulePatch patch;
  patch.starts_at = RemovableInstant(json, "startsAt");
  patch.sales_end_at = RemovableInstant(json, "salesEndAt");
  if (auto refused = body.Finish()) return std::move(*refused);
  return patch;
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
  if (json.HasValue("best")) {
    if (json.HasValue("seats")) json.Refuse("best", "give either seats or best");
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
