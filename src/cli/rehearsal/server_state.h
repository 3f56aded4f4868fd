// The server's state of the rehearsal's concert, read through its API after all fans have left.
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

// A reservation of the operator's list.
struct ServerReservation {
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
  std::int64_t times = 0;  // number of rows of the concert
  std::int64_t rank = 0;
  std::int64_t duration_millis = 0;
};

// A ranked sell-out of the server, whichever sale it was, and its rows.
struct RankedSellOut {
  ConcertId concert = 0;
  std::int64_t duration_millis = 0;  // by the concert's own times
  std::vector<RankedRow> rows;       // one per window
};

struct ServerState {
  std::string status;
  std::int64_t total_seats = 0;
  std::int64_t available_seats = 0;
  std::optional<Time> opened_at;
  std::optional<Time> sold_out_at;
  std::map<std::pair<ScheduleId, std::int64_t>, std::string> seats;  // schedule and seat number → status
  std::vector<ServerReservation> reservations;
  std::vector<RankedRow> rankings;       // of the rehearsal: one per board
  std::vector<RankedSellOut> sell_outs;  // the newest ones
  std::vector<PublishedDraw> draws;

  std::int64_t capacity = 0;
  std::int64_t most_entered = 0;  // maximum of `entered` during the sale
  std::int64_t entered = 0;       // at the end
  std::int64_t waiting = 0;
  std::int64_t samples = 0;  // number of reads of `serving`
};

// Reads everything except `most_entered` and `samples`. The error is a sentence.
Result<ServerState, std::string> ReadServerState(HttpClient& admin, const SimulatedSale& sale);

// The current `entered` of …/serving; absent if the server does not answer.
std::optional<std::int64_t> EnteredNow(HttpClient& client, ConcertId concert);

}  // namespace maejin::cli
