// What a rehearsal is to be like: the flags of `maejin rehearse`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/common/verb.h"
#include "config/address.h"

namespace maejin::cli {

struct RehearsalPlan {
  std::string url;  // "http://127.0.0.1:8080", of
  config::Address server;
  std::int64_t fans = 0;
  std::int64_t seats = 0;
  std::int64_t dates = 1;
  std::int64_t seed = 1;
  std::int64_t capacity = 0;
  std::int64_t connections = 0;  // 0: as many as the limits allow and the fans can use
  Seconds opens_in{0};
  Seconds arrive_within{0};  // those who do not wait for the opening already
  Millis thinks{0};
  Seconds hold{0};
  Seconds patience{0};  // after the opening
  bool keep = false;    // leave the concert as it was sold
};

std::vector<VerbFlag> RehearsalFlags();

// False: a flag is wrong, and the reason was said on standard error. `url` and `server` are left alone.
bool ReadPlan(const Invocation& invocation, RehearsalPlan& plan);

// When each fan comes: a third of them during the countdown, where there is one, and the others after the opening.
std::vector<Millis> ArrivalsOf(const RehearsalPlan& plan);

}  // namespace maejin::cli
