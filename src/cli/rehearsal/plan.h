// The flags of `maejin rehearse`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/common/verb.h"
#include "config/address.h"

namespace maejin::cli {

struct RehearsalPlan {
  std::string url;  // "http://127.0.0.1:8080"
  config::Address server;
  std::int64_t fans = 0;
  std::int64_t seats = 0;
  std::int64_t dates = 1;
  std::int64_t seed = 1;
  std::int64_t capacity = 0;
  std::int64_t connections = 0;  // 0: as many as the limits allow and the fans can use
  Seconds opens_in{0};
  Seconds arrive_within{0};  // for fans that arrive after the opening
  Millis think_time{0};
  Seconds hold{0};
  Seconds patience{0};  // after the opening
  bool keep = false;    // do not cancel the concert at the end
  std::string report;   // file of the sale report, or empty; the extension is the format
  bool json_progress = false;
  bool with_sale_report = false;  // the report contains the sale report
};

std::vector<VerbFlag> RehearsalFlags();

// False if a flag is invalid; the error is printed to standard error. Does not set `url` and `server`.
bool ReadPlan(const Invocation& invocation, RehearsalPlan& plan);

// Arrival times: a third of the fans during the countdown, if there is one, the others after the opening.
std::vector<Millis> ArrivalsOf(const RehearsalPlan& plan);

}  // namespace maejin::cli
