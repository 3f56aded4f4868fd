// Creates the concerts of a demo or rehearsal over the admin API.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/http_client.h"
#include "cli/fans/fan.h"

namespace maejin::cli {

struct DemoConcert {
  std::string title;
  std::string artist;
  std::string venue;
  int dates = 1;
  int seats_per_date = 10;
  Seconds opens_in{0};
  int room_capacity = 20;
  int hold_seconds = 5;
  bool is_public = true;  // false: in no list and on no board
};

// Creates the concert with its schedules and configures its room, with a pre-queue if it opens later. The
// error is a sentence.
Result<SimulatedSale, std::string> CreateDemoConcert(HttpClient& admin, const DemoConcert& concert, Time now);

// The sold-out ranking as text lines.
std::string RankingText(HttpClient& client);
// A concert's status, e.g. "SOLD_OUT"; empty if the server does not answer.
std::string StatusOf(HttpClient& client, ConcertId concert);

}  // namespace maejin::cli
