#include "http/booking/seat_plan.h"

#include <algorithm>
#include <set>

#include <boost/json/parse.hpp>

namespace maejin::http {
namespace {

using Numbers = std::vector<SeatNumber>;

constexpr IntRange kSeats{1, kMaxSeatsPerSchedule};
// The outline of a section has 3 to 100 corners, each with x and y.
constexpr IntRange kShapeNumbers{6, 200};
constexpr IntRange kPlanUnits{0, 10'000};

// Reads seats that the body gives by row and position in a section. Returns their numbers in the date.
// `first`: the number of the section's first seat.
Numbers ReadSeatPositions(JsonObject& json, std::string_view name, const Section& section, SeatNumber first) {
  Numbers numbers;
  if (!json.HasValue(name)) return numbers;
  std::vector<SeatNumber> starts{first};
  for (std::int32_t row = 1; row <= section.Rows(); ++row) {
    starts.push_back(starts.back() + section.SeatsInRow(row));
  }
  for (auto& positions : json.Objects(name, {0, kMaxSeatsPerSchedule})) {
    const auto row = static_cast<std::int32_t>(positions.Int("row", {1, section.Rows()}));
    for (const auto position : positions.Ints("seats", kSeats, {1, section.SeatsInRow(row)})) {
      numbers.push_back(starts[static_cast<std::size_t>(row - 1)] + static_cast<SeatNumber>(position) - 1);
    }
    positions.Finish();
  }
  return numbers;
}

// The corners of the section on the plan: x1, y1, x2, y2, …
std::vector<std::int32_t> ReadShape(JsonObject& json) {
  std::vector<std::int32_t> shape;
  if (!json.HasValue("shape")) return shape;
  for (const auto number : json.Ints("shape", kShapeNumbers, kPlanUnits))
    shape.push_back(static_cast<std::int32_t>(number));
  if (shape.size() % 2 != 0) json.Refuse("shape", "must have pairs of x and y");
  return shape;
}

Section ReadRows(JsonObject& json, Money default_price) {
  Section section;
  section.name = json.Text("name", {.min = 1, .max = 100});
  section.price = json.OptionalInt("price", kPrices).value_or(default_price);
  section.shape = ReadShape(json);
  if (!json.HasValue("rowLengths")) {
    section.rows = static_cast<std::int32_t>(json.Int("rows", kSeats));
    section.seats_per_row = static_cast<std::int32_t>(json.Int("seatsPerRow", kSeats));
    return section;
  }
  if (json.HasValue("rows") || json.HasValue("seatsPerRow")) {
    json.Refuse("rowLengths", "give either rowLengths, or rows and seatsPerRow");
  }
  for (const auto length : json.Ints("rowLengths", kSeats, kSeats)) {
    section.row_lengths.push_back(static_cast<std::int32_t>(length));
  }
  return section;
}

Numbers ReadSeatNumbers(JsonObject& json, std::string_view name, std::int64_t seats) {
  Numbers numbers;
  if (!json.HasValue(name)) return numbers;
  for (const auto number :
       json.Ints(name, {0, kMaxSeatsPerSchedule}, {1, std::max<std::int64_t>(1, seats)})) {
    numbers.push_back(static_cast<SeatNumber>(number));
  }
  return numbers;
}

void Sort(JsonObject& json, std::string_view name, Numbers& numbers) {
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end())
    json.Refuse(name, "names a seat twice");
}

void Append(Numbers& all, const Numbers& more) { all.insert(all.end(), more.begin(), more.end()); }

// Reads sections with their blocked and wheelchair seats. Returns the number of seats; stops at the limit of
// seats for a date.
std::int64_t ReadSections(JsonObject& json, Money default_price, SchedulePlan& plan) {
  std::int64_t seats = 0;
  std::set<std::string> names;
  for (auto& each : json.Objects("sections", {1, 1000})) {
    auto section = ReadRows(each, default_price);
    if (!section.name.empty() && !names.insert(section.name).second)
      each.Refuse("name", "names a section twice");
    const auto first = static_cast<SeatNumber>(seats + 1);
    seats += section.Seats();
    if (seats > kMaxSeatsPerSchedule) {
      json.Refuse("sections", "more than 100000 seats");
      return seats;
    }
    if (section.Seats() > 0) {
      Append(plan.blocked, ReadSeatPositions(each, "blocked", section, first));
      Append(plan.wheelchair, ReadSeatPositions(each, "wheelchair", section, first));
    }
    each.Finish();
    plan.sections.push_back(std::move(section));
  }
  return seats;
}

}  // namespace

SchedulePlan ReadSeatPlan(JsonObject& json, Money default_price) {
  SchedulePlan plan;
  plan.date = json.Day("concertDate");
  plan.starts_at = json.OptionalInstant("startsAt");
  plan.sales_end_at = json.OptionalInstant("salesEndAt");
  plan.booking_open_at = json.OptionalInstant("bookingOpenAt");
  if (json.HasValue("seats") && json.HasValue("sections"))
    json.Refuse("seats", "give either seats or sections");
  std::int64_t seats = 0;
  if (json.HasValue("sections")) {
    seats = ReadSections(json, default_price, plan);
  } else {
    seats = json.Int("seats", kSeats);
    plan.sections.push_back({"A", 1, static_cast<std::int32_t>(seats), default_price});
  }
  Append(plan.blocked, ReadSeatNumbers(json, "blocked", seats));
  Append(plan.wheelchair, ReadSeatNumbers(json, "wheelchair", seats));
  Sort(json, "blocked", plan.blocked);
  Sort(json, "wheelchair", plan.wheelchair);
  json.Finish();
  return plan;
}

Outcome<SchedulePlan> ParseSeatPlan(std::string_view text, Money default_price) {
  boost::json::parse_options options;
  options.max_depth = 16;
  boost::system::error_code error;
  const auto value =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (error) return Refused{Refusal::kInvalidJson, error.message()};
  if (RepeatsKey(text, value)) return Refused{Refusal::kInvalidJson, "a key occurs twice"};
  JsonErrors errors;
  JsonObject root(value, "", errors);
  auto plan = ReadSeatPlan(root, default_price);
  if (errors.first) return std::move(*errors.first);
  return plan;
}

}  // namespace maejin::http
