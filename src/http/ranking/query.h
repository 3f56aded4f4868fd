// Reads the query parameters of the rankings: window, at, topN, from. The first invalid one is
// refused by name.
#pragma once

#include <optional>

#include "domain/ranking/window.h"
#include "domain/refusal.h"
#include "server/request.h"

namespace maejin::http {

class RankingParameters {
 public:
  explicit RankingParameters(const Request& request) : request_(request) {}

  std::int64_t Number(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max);
  // 1…1000.
  std::int64_t TopN(std::int64_t fallback = 10) { return Number("topN", fallback, 1, 1000); }
  // Rank of the first row, from 1.
  std::int64_t From() { return Number("from", 1, 1, INT32_MAX); }
  WindowKind Window(WindowKind fallback);
  // A day of the years 1970…9998. Absent: the query has none, or an invalid one, which is then refused.
  std::optional<Date> Day(std::string_view name);
  void Refuse(std::string about);

  const std::optional<Refused>& refusal() const { return refusal_; }

 private:
  const Request& request_;
  std::optional<Refused> refusal_;
};

// The id in a path. Refuses: kInvalidField.
Outcome<std::int64_t> IdParameter(std::string_view text);

}  // namespace maejin::http
