#include "http/ranking/sold_out_history.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include "domain/ranking/import_ids.h"
#include "http/json_body.h"

namespace maejin::http {
namespace {

constexpr IntRange kIds{.min = 1, .max = (std::int64_t{1} << 53) - 1};
constexpr IntRange kDates{.min = 1, .max = 10'000};
constexpr IntRange kSeats{.min = 1, .max = 10'000'000};
constexpr TextRange kName{.min = 1, .max = 500};

// 0: the field is absent. The server gives new concerts ids above the imported ones, so imported ids must
// stay small.
std::int64_t ImportedId(JsonObject& object, std::string_view field) {
  const auto id = object.OptionalInt(field, kIds).value_or(0);
  if (!MayBeImported(id)) object.Refuse(field, "must be at most 2^40 = 1099511627776");
  return id;
}

ScheduleSoldOut ScheduleFrom(JsonObject& object, const ConcertSoldOut& concert) {
  ScheduleSoldOut schedule;
  schedule.schedule = ImportedId(object, "id");
  schedule.concert_date = object.Day("concertDate");
  schedule.seats = object.Int("seats", kSeats);
  schedule.started_at = object.OptionalInstant("bookingOpenAt").value_or(concert.booking_open_at);
  schedule.sold_out_at = object.OptionalInstant("soldOutAt").value_or(concert.sold_out_at);
  object.Finish();
  return schedule;
}

}  // namespace

Outcome<SoldOutHistory> ParseSoldOutHistory(std::string_view text) {
  unsigned char buffer[8192];
  boost::json::monotonic_resource memory(buffer, sizeof buffer);
  boost::json::parse_options options;
  options.max_depth = 16;
  boost::json::error_code error;
  const auto value = boost::json::parse(text, error, &memory, options);
  if (error || RepeatsKey(text, value)) return Refusal::kInvalidJson;
  JsonErrors errors;
  JsonObject root(value, "", errors);
  SoldOutHistory history;
  auto& concert = history.concert;
  concert.concert = ImportedId(root, "concertId");
  concert.title = root.Text("title", kName);
  concert.artist = root.Text("artist", {.max = 500});
  concert.venue = root.Text("venue", {.max = 500});
  concert.booking_open_at = root.Instant("bookingOpenAt");
  concert.sold_out_at = root.Instant("soldOutAt");
  for (auto& object : root.Objects("schedules", kDates)) {
    history.schedules.push_back(ScheduleFrom(object, concert));
  }
  root.Finish();
  if (errors.first) return *errors.first;
  return history;
}

}  // namespace maejin::http
