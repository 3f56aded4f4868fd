// Events for other programs: one event for every transition, numbered from 1 without gaps in the order of the
// commits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

// An event before its commit gives it an id.
struct EventDraft {
  std::string_view type;  // e.g. "reservation.held"
  Time at{};
  std::string subject;  // "reservation 0f…", "concert 7"
  std::string data;     // a JSON object; the only personal data in it is a user's id
};

struct Event {
  std::int64_t id = 0;
  std::string type;
  std::string json;  // {id, type, time, subject, data}, in this order
};

// Appends the JSON of an event without its beginning, `{"id":N`.
void AppendEventTail(std::string& out, const EventDraft& draft);
// Appends the beginning, `{"id":N`. Call it before AppendEventTail().
void AppendEventId(std::string& out, std::int64_t id);
// Parses an event from its JSON, as the functions above write it. The id is 0 if the text is no event.
Event ParseEvent(std::string_view json);
// The values of "subject", "time" and "data" in the JSON of an event. The subject keeps its JSON escapes.
std::string_view EventSubjectIn(std::string_view json);
std::string_view EventTimeIn(std::string_view json);
std::string_view EventDataIn(std::string_view json);

// The event types that a reader wants: names of types, or beginnings of names with * at the end. Empty: all.
class EventFilter {
 public:
  // "reservation.*,concert.opened". Refuses: kInvalidField (no type matches, or the list is malformed).
  static Outcome<EventFilter> Parse(std::string_view list);
  static Outcome<EventFilter> Of(std::vector<std::string> patterns);

  bool Matches(std::string_view type) const;
  const std::vector<std::string>& patterns() const { return patterns_; }

 private:
  std::vector<std::string> patterns_;
};

}  // namespace maejin
