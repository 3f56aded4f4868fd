#include "adapters/embedded/event_reader.h"

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr std::int64_t kMaxEventsScanned = 20'000;
constexpr Sql kPruneEvents{
    "DELETE FROM events WHERE first_id IN (SELECT first_id FROM events WHERE written_at < ? AND last_id < ? "
    "ORDER BY first_id LIMIT 500)"};

// Adds the events of one commit that the query wants. False: the page is full.
bool AddLines(std::string_view body, const EventQuery& query, EventPage& page) {
  while (!body.empty()) {
    const auto end = body.find('\n');
    auto event = ParseEvent(body.substr(0, end));
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (event.id <= page.next) continue;
    if (page.events.size() == query.limit) return false;
    page.next = event.id;
    if (query.filter.Matches(event.type)) page.events.push_back(std::move(event));
  }
  return true;
}

}  // namespace

Outcome<EventPage> EventReader::ReadPage(const EventQuery& query) {
  EventPage page{{}, query.after};
  if (query.after >= NewestAtOnce()) return page;
  const std::lock_guard lock(mutex_);
  try {
    // Each row has the events of one commit. The first row read is the one with the first event after
    // `after`.
    auto rows = connection_.Prepare(
        "SELECT body FROM events WHERE first_id >= coalesce((SELECT max(first_id) FROM events WHERE first_id "
        "<= ?), "
        "0) ORDER BY first_id");
    rows.Bind(1, query.after + 1);
    while (page.next - query.after < kMaxEventsScanned && rows.Step()) {
      if (!AddLines(rows.Text(0), query, page)) break;
    }
    return page;
  } catch (const SqliteError& error) {
    LogError("the events cannot be read: {}", error.what());
    return Refused(Refusal::kUnavailable);
  }
}

void EventReader::Prune(Time before) {
  WriteSet rows;
  rows.Add(kPruneEvents).At(before).Int(NewestAtOnce());
  journal_.Append(rows, {}, Journal::WriteTiming::kBatched);
}

}  // namespace maejin::embedded
