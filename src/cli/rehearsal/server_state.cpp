#include "cli/rehearsal/server_state.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

namespace json = boost::json;

constexpr int kReservationsPerPage = 1000;
constexpr std::size_t kConcertsPerPage = 100;
constexpr std::size_t kMostSellOuts = 20;
constexpr std::array kWindows = {"daily", "weekly", "monthly", "all"};

class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

HttpAnswer Get(HttpClient& client, const std::string& target) {
  HttpCall call;
  call.target = target;
  auto answer = client.Call(call);
  if (!answer) throw Unreadable(answer.error());
  return std::move(*answer);
}

std::string GetText(HttpClient& client, const std::string& target) {
  auto answer = Get(client, target);
  if (answer.status != 200) throw Unreadable(fmt::format("{}: {} {}", target, answer.status, answer.body));
  return std::move(answer.body);
}

json::object GetObject(HttpClient& client, const std::string& target) {
  return json::parse(GetText(client, target)).as_object();
}

std::string TextIn(const json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

std::optional<Time> TimeIn(const json::object& object, std::string_view name) {
  const auto& value = object.at(name);
  return value.is_string() ? ParseTime(value.get_string()) : std::nullopt;
}

void ReadConcert(HttpClient& admin, const SimulatedSale& sale, ServerState& state) {
  const auto concert = GetObject(admin, fmt::format("/api/v1/concerts/{}", sale.concert));
  state.status = TextIn(concert, "status");
  state.total_seats = concert.at("totalSeats").as_int64();
  state.available_seats = concert.at("availableSeats").as_int64();
  state.opened_at = TimeIn(concert, "bookingOpenAt");
  state.sold_out_at = TimeIn(concert, "soldOutAt");
}

void ReadSeats(HttpClient& admin, const SimulatedSale& sale, ServerState& state) {
  for (const auto schedule : sale.schedules) {
    const auto map = GetObject(admin, fmt::format("/api/v1/schedules/{}/seats", schedule));
    for (const auto& seat : map.at("seats").as_array()) {
      const auto& fields = seat.as_object();
      state.seats[{schedule, fields.at("number").as_int64()}] = TextIn(fields, "status");
    }
  }
}

ServerReservation ReadReservation(const json::object& row) {
  ServerReservation booked;
  booked.id = TextIn(row, "reservationId");
  booked.user = TextIn(row, "userId");
  booked.status = TextIn(row, "status");
  booked.schedule = row.at("scheduleId").as_int64();
  booked.paid_at = TimeIn(row, "paidAt");
  for (const auto& seat : row.at("seats").as_array()) booked.seats.push_back(seat.as_int64());
  std::sort(booked.seats.begin(), booked.seats.end());
  return booked;
}

void ReadReservations(HttpClient& admin, const SimulatedSale& sale, ServerState& state) {
  std::string after;
  while (true) {
    const auto page =
        GetObject(admin, fmt::format("/api/v1/admin/reservations?concertId={}&limit={}{}", sale.concert,
                                     kReservationsPerPage, after.empty() ? "" : "&after=" + after));
    for (const auto& row : page.at("reservations").as_array())
      state.reservations.push_back(ReadReservation(row.as_object()));
    const auto& next = page.at("next");
    if (next.is_null()) return;
    after = std::to_string(next.as_int64());
  }
}

// Reads the neighbours too: a duplicate row would be adjacent, because both have the same score.
RankedRow ReadRow(HttpClient& admin, ConcertId concert, std::string_view window) {
  RankedRow row;
  row.window = window;
  const auto target = fmt::format("/api/v1/rankings/soldout/concerts/{}?window={}&around=5", concert, window);
  const auto answer = Get(admin, target);
  if (answer.status == 404) return row;
  if (answer.status != 200) throw Unreadable(fmt::format("{}: {} {}", target, answer.status, answer.body));
  const auto found = json::parse(answer.body).as_object();
  row.rank = found.at("rank").as_int64();
  row.duration_millis = found.at("durationMillis").as_int64();
  for (const auto& neighbour : found.at("around").as_array()) {
    if (neighbour.at("concertId").as_int64() == concert) ++row.times;
  }
  return row;
}

// Counts the rehearsal's rows among the first rows of a board: composite, dates or progress.
RankedRow CountRows(HttpClient& admin, const std::string& target, std::string_view board,
                    std::string_view field, const std::vector<std::int64_t>& ids) {
  RankedRow row;
  row.window = board;
  const auto page = GetObject(admin, target);
  for (const auto& entry : page.at("entries").as_array()) {
    const auto id = entry.at(field).as_int64();
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) ++row.times;
  }
  return row;
}

void ReadBoards(HttpClient& admin, const SimulatedSale& sale, ServerState& state) {
  for (const auto* window : kWindows) state.rankings.push_back(ReadRow(admin, sale.concert, window));
  const std::vector<std::int64_t> concert = {sale.concert};
  const std::vector<std::int64_t> dates(sale.schedules.begin(), sale.schedules.end());
  const auto count = [&](const std::string& board, const std::string& target, std::string_view field,
                         const std::vector<std::int64_t>& ids) {
    state.rankings.push_back(CountRows(admin, "/api/v1/rankings/" + target, board, field, ids));
  };
  count("composite", "soldout/top?topN=100", "concertId", concert);
  count("daily dates", "soldout/schedules?topN=1000&window=daily", "scheduleId", dates);
  count("weekly dates", "soldout/schedules?topN=1000&window=weekly", "scheduleId", dates);
  count("monthly dates", "soldout/schedules?topN=1000&window=monthly", "scheduleId", dates);
  count("progress", "progress?by=schedule&topN=1000", "scheduleId", dates);
}

// Reads the newest sell-outs of all sales. The audit compares each concert's own times with its rows.
void ReadSellOuts(HttpClient& admin, ServerState& state) {
  std::vector<RankedSellOut> found;
  ConcertId after = 0;
  while (true) {
    auto target = fmt::format("/api/v1/admin/concerts?limit={}", kConcertsPerPage);
    if (after > 0) target += fmt::format("&after={}", after);
    const auto page = GetObject(admin, target);
    const auto& concerts = page.at("concerts").as_array();
    for (const auto& row : concerts) {
      const auto& concert = row.as_object();
      after = concert.at("id").as_int64();
      const auto opened = TimeIn(concert, "bookingOpenAt");
      const auto sold_out = TimeIn(concert, "soldOutAt");
      const bool ranked = concert.at("ranked").as_bool() && TextIn(concert, "status") != "CANCELLED";
      // A concert without a ranking was taken off the boards by an operator.
      if (!ranked || !opened || !sold_out || concert.at("ranking").is_null()) continue;
      found.push_back({after, (*sold_out - *opened).count(), {}});
      if (found.size() > kMostSellOuts) found.erase(found.begin());
    }
    if (concerts.size() < kConcertsPerPage) break;
  }
  for (auto& sell_out : found) {
    for (const auto* window : kWindows) sell_out.rows.push_back(ReadRow(admin, sell_out.concert, window));
  }
  state.sell_outs = std::move(found);
}

void ReadRoom(HttpClient& admin, ConcertId concert, ServerState& state) {
  const auto serving = GetObject(admin, fmt::format("/api/v1/rooms/{}/serving", concert));
  state.capacity = serving.at("capacity").as_int64();
  state.entered = serving.at("entered").as_int64();
  state.waiting = serving.at("waiting").as_int64();
  const auto draws = GetText(admin, fmt::format("/api/v1/rooms/{}/shuffle", concert));
  if (auto published = ReadPublishedDraws(draws)) state.draws = std::move(*published);
}

}  // namespace

Result<ServerState, std::string> ReadServerState(HttpClient& admin, const SimulatedSale& sale) {
  try {
    ServerState state;
    ReadConcert(admin, sale, state);
    ReadSeats(admin, sale, state);
    ReadReservations(admin, sale, state);
    ReadBoards(admin, sale, state);
    ReadSellOuts(admin, state);
    ReadRoom(admin, sale.concert, state);
    return state;
  } catch (const Unreadable& error) {
    return std::string(error.what());
  } catch (const std::exception& error) {
    return fmt::format("the server's answer is not what its API describes: {}", error.what());
  }
}

std::optional<std::int64_t> EnteredNow(HttpClient& client, ConcertId concert) {
  HttpCall call;
  call.target = fmt::format("/api/v1/rooms/{}/serving", concert);
  const auto answer = client.Call(call);
  if (!answer || answer->status != 200) return {};
  return NumberIn(ObjectIn(answer->body).value_or(json::object()), "entered");
}

}  // namespace maejin::cli
