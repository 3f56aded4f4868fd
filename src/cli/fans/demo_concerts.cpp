#include "cli/fans/demo_concerts.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t kPrice = 99'000;
constexpr int kRow = 10;

// Three sections with different prices, the most expensive in front, if the seats fill whole rows; else one
// section.
void AddSeats(json::object& schedule, int seats) {
  if (seats % kRow != 0 || seats / kRow < 5) {
    schedule["seats"] = seats;
    return;
  }
  const int rows = seats / kRow;
  const int front = rows / 5;
  const int middle = rows * 2 / 5;
  const auto section = [](const char* name, int section_rows, std::int64_t price) {
    return json::object{{"name", name}, {"rows", section_rows}, {"seatsPerRow", kRow}, {"price", price}};
  };
  schedule["sections"] = {section("VIP", front, kPrice * 5 / 3), section("R", middle, kPrice * 4 / 3),
                          section("S", rows - front - middle, kPrice)};
}

json::object Describe(const DemoConcert& concert, Time now) {
  json::array schedules;
  for (int i = 0; i < concert.dates; ++i) {
    const auto day = std::chrono::floor<std::chrono::days>(now) + std::chrono::days(30 + i);
    json::object schedule{{"concertDate", FormatDate(Date{day})}};
    AddSeats(schedule, concert.seats_per_date);
    schedules.push_back(std::move(schedule));
  }
  return json::object{{"title", concert.title},
                      {"artist", concert.artist},
                      {"venue", concert.venue},
                      {"price", kPrice},
                      {"holdSeconds", concert.hold_seconds},
                      // Simulated fans have no limits.
                      {"maxSeatsPerUser", 0},
                      {"cooldownSeconds", 0},
                      {"listed", concert.is_public},
                      {"ranked", concert.is_public},
                      {"bookingOpenAt", FormatTime(now + concert.opens_in)},
                      {"preQueueAt", FormatTime(now)},
                      {"schedules", std::move(schedules)}};
}

std::string RoomSettings(const DemoConcert& concert) {
  // All simulated fans come from one address, so joins per address are not limited.
  return json::serialize(
      json::object{{"capacity", concert.room_capacity}, {"joinsPerAddressPerMinute", nullptr}});
}

std::string ErrorText(const char* what, const Result<HttpAnswer, std::string>& answer) {
  return answer ? fmt::format("{}: {} {}", what, answer->status, answer->body)
                : fmt::format("{}: {}", what, answer.error());
}

std::string RankingLine(const json::object& entry) {
  const auto seconds = static_cast<double>(CountOf(entry, "durationMillis")) / 1000;
  return fmt::format("  {:>3}.  {:>9.3f} s  {} — {}, {}\n", CountOf(entry, "rank"), seconds,
                     TextOf(entry, "title"), TextOf(entry, "artist"), TextOf(entry, "venue"));
}

}  // namespace

Result<SimulatedSale, std::string> CreateDemoConcert(HttpClient& admin, const DemoConcert& concert,
                                                     Time now) {
  const auto created = admin.Call({.method = "POST",
                                   .target = "/api/v1/concerts",
                                   .body = json::serialize(Describe(concert, now)),
                                   .headers = {}});
  if (!created || created->status != 201) return ErrorText("cannot create a concert", created);
  const auto body = ObjectIn(created->body).value_or(json::object());
  SimulatedSale sale;
  sale.concert = body.at("id").to_number<ConcertId>();
  for (const auto& schedule : body.at("schedules").as_array()) {
    sale.schedules.push_back(schedule.at("id").to_number<ScheduleId>());
  }
  const auto room = admin.Call({.method = "PUT",
                                .target = fmt::format("/api/v1/rooms/{}", sale.concert),
                                .body = RoomSettings(concert),
                                .headers = {}});
  if (!room || room->status != 200) {
    const auto what =
        fmt::format("concert {} was created, but its waiting room cannot be configured", sale.concert);
    return ErrorText(what.c_str(), room);
  }
  return sale;
}

std::string RankingText(HttpClient& client) {
  const auto answer = client.Call(
      {.method = "GET", .target = "/api/v1/rankings/soldout?window=all&topN=10", .body = {}, .headers = {}});
  if (!answer || answer->status != 200) return ErrorText("  cannot read the ranking", answer) + "\n";
  std::string text;
  const auto body = ObjectIn(answer->body).value_or(json::object());
  for (const auto& entry : body.at("entries").as_array()) text += RankingLine(entry.as_object());
  return text;
}

std::string StatusOf(HttpClient& client, ConcertId concert) {
  const auto answer = client.Call(
      {.method = "GET", .target = fmt::format("/api/v1/concerts/{}", concert), .body = {}, .headers = {}});
  if (!answer || answer->status != 200) return {};
  return TextOf(ObjectIn(answer->body).value_or(json::object()), "status");
}

}  // namespace maejin::cli
