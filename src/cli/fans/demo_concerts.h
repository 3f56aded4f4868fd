// The demo's programme, created over the admin API as any operator would.
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
};

// The concert with its dates, its opening and its room; one that opens later has a pre-queue until then. The error is a sentence.
Result<Stage, std::string> CreateDemoConcert(HttpClient& admin, const DemoConcert& concert, Time now);

// The sold-out ranking as lines for the terminal.
std::string RankingText(HttpClient& client);
// A concert's own status and unpaid rest: "SOLD_OUT".
std::string StatusOf(HttpClient& client, ConcertId concert);

}  // namespace maejin::cli
