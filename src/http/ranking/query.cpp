#include "http/ranking/query.h"

#include <fmt/format.h>

#include "base/numbers.h"

namespace maejin::http {

void RankingParameters::Refuse(std::string about) {
  if (!refusal_) refusal_.emplace(Refusal::kInvalidField, std::move(about));
}

std::int64_t RankingParameters::Number(std::string_view name, std::int64_t fallback, std::int64_t min,
                                       std::int64_t max) {
  const auto text = request_.Query(name);
  if (!text) return fallback;
  const auto number = ParseInt<std::int64_t>(*text);
  if (number && *number >= min && *number <= max) return *number;
  Refuse(fmt::format("{}: must be {}…{}", name, min, max));
  return fallback;
}

WindowKind RankingParameters::Window(WindowKind fallback) {
  const auto text = request_.Query("window");
  if (!text) return fallback;
  if (const auto kind = ParseWindowKind(*text)) return *kind;
  Refuse("window: must be daily, weekly, monthly or all");
  return fallback;
}

std::optional<Date> RankingParameters::Day(std::string_view name) {
  const auto text = request_.Query(name);
  if (!text) return {};
  const auto day = ParseDate(*text);
  if (!day || day->year() < std::chrono::year{1970} || day->year() > std::chrono::year{9998}) {
    Refuse(fmt::format("{}: must be a day, YYYY-MM-DD", name));
    return {};
  }
  return day;
}

Outcome<std::int64_t> IdParameter(std::string_view text) {
  const auto id = ParseInt<std::int64_t>(text);
  if (!id || *id < 1) return Refused(Refusal::kInvalidField, "id: must be a whole number from 1");
  return *id;
}

}  // namespace maejin::http
