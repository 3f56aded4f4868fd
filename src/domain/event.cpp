#include "domain/event.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_writer.h"
#include "base/take_until.h"

namespace maejin {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>({
    "concert.cancelled",     "concert.changed",       "concert.closed",       "concert.created",
    "concert.opened",        "concert.reopened",      "concert.sold-out",     "operator.action",
    "reservation.cancelled", "reservation.confirmed", "reservation.declined", "reservation.expired",
    "reservation.extended",  "reservation.held",      "reservation.refunded", "room.closed",
    "room.opened",           "room.paused",           "room.progress",        "schedule.cancelled",
    "schedule.postponed",    "schedule.sold-out",     "waitlist.joined",      "waitlist.offered",
    "waitlist.passed",       "webhook.test",
});

constexpr std::string_view kId = "{\"id\":";
constexpr std::string_view kType = ",\"type\":\"";
constexpr std::string_view kTime = "\",\"time\":\"";
constexpr std::string_view kData = ",\"data\":";

bool MatchesPattern(std::string_view pattern, std::string_view type) {
  if (!pattern.ends_with('*')) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

// The text between the end of `before` and the next `end`.
std::string_view Between(std::string_view text, std::string_view before, char end) {
  const auto begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, text.find(end));
}

}  // namespace

void AppendEventTail(std::string& out, const EventDraft& draft) {
  out.append(kType).append(draft.type).append(kTime);
  AppendTime(out, draft.at);
  out.append("\",\"subject\":");
  AppendJsonString(out, draft.subject);
  out.append(kData).append(draft.data).append("}");
}

void AppendEventId(std::string& out, std::int64_t id) {
  char digits[24];
  out.append(kId).append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
}

Event ParseEvent(std::string_view json) {
  Event event;
  if (!json.starts_with(kId)) return event;
  const auto* first = json.data() + kId.size();
  std::from_chars(first, json.data() + json.size(), event.id);
  event.type = Between(json, kType, '"');
  event.json = json;
  return event;
}

std::string_view EventSubjectIn(std::string_view json) { return Between(json, ",\"subject\":\"", '"'); }

std::string_view EventTimeIn(std::string_view json) { return Between(json, kTime, '"'); }

std::string_view EventDataIn(std::string_view json) {
  const auto begin = json.find(kData);
  if (begin == std::string_view::npos) return {};
  json.remove_prefix(begin + kData.size());
  json.remove_suffix(1);
  return json;
}

Outcome<EventFilter> EventFilter::Of(std::vector<std::string> patterns) {
  EventFilter filter;
  filter.patterns_ = std::move(patterns);
  for (const auto& pattern : filter.patterns_) {
    const auto matches = [&](std::string_view type) { return MatchesPattern(pattern, type); };
    if (std::none_of(kTypes.begin(), kTypes.end(), matches))
      return Refused{Refusal::kInvalidField, "types: no event has the type " + pattern};
  }
  return filter;
}

Outcome<EventFilter> EventFilter::Parse(std::string_view list) {
  std::vector<std::string> patterns;
  while (!list.empty()) patterns.emplace_back(TakeUntil(list, ','));
  return Of(std::move(patterns));
}

bool EventFilter::Matches(std::string_view type) const {
  return patterns_.empty() ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, type); });
}

}  // namespace maejin
