// The concert that a path names.
#pragma once

#include <string>

#include "domain/refusal.h"
#include "domain/words.h"
#include "http/parse_number.h"
#include "server/request.h"

namespace maejin::http {

// The first parameter of the path. Refuses: kConcertNotFound (no number).
inline Outcome<ConcertId> ConcertIn(const Request& request) {
  const auto id = ParseNumber(request.params[0]);
  if (!id) return Refused{Refusal::kConcertNotFound, std::string(request.params[0])};
  return *id;
}

}  // namespace maejin::http
