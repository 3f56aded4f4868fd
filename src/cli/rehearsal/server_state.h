// What the server's own books say about the rehearsal's concert, read through its API when everybody has gone home.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/common/http_client.h"
#include "cli/fans/fan.h"
#include "domain/waiting_room/published_draw.h"

namespace maejin::cli {

// A reservation as the operator's list shows it.
struct BookedSeats {
  std::string id;
  std::string user;
  std::string status;
  ScheduleId schedule = 0;
  std::vector<std::int64_t> seats;
  std::optional<Time> paid_at;
};

// The concert's row in one window.
struct RankedRow {
  std::string window;
  std::int64_t times = 0;  // how often it stands there, among its neighbours
  std::int64_t rank = 0;
  std::int64_t duration_millis = 0;
};

struct ServerState {
  std::string status;
  std::int64_t total_seats = 0;
  std::int64_t available_seats = 0;
  std::optional<Time> opened_at;
  std::optional<Time> sold_out_at;
  std::map<std::pair<ScheduleId, std::int64_t>, std::string> seats;  // date and number → status
  std::vector<BookedSeats> reservations;
  std::vector<RankedRow> rankings;  // one for each window it was looked for in
  std::vector<PublishedDraw> draws;

  std::int64_t capacity = 0;
  std::int64_t most_entered = 0;  // the most that `serving` told at once, while the sale ran
  std::int64_t entered = 0;       // in the end
  std::int64_t waiting = 0;
  std::int64_t samples = 0;  // how often `serving` was read
};

// Reads it all but `most_entered` and `samples`. The error is a sentence.
Result<ServerState, std::string> ReadServerState(HttpClient& admin, const Stage& stage);

// `entered` of …/serving at this moment; absent where the server does not answer.
std::optional<std::int64_t> EnteredNow(HttpClient& client, ConcertId concert);

}  // namespace maejin::cli
