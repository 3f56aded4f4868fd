#include "adapters/mysql/event_rows.h"

#include <algorithm>

#include "store/booking_events.h"

namespace maejin::mysql {

void AddEvents(Connection& connection, std::span<const EventDraft> drafts) {
  constexpr std::size_t kEventsPerRow = 1'000;  // about half a megabyte
  while (!drafts.empty()) {
    const auto some = drafts.first(std::min(drafts.size(), kEventsPerRow));
    drafts = drafts.subspan(some.size());
    std::string lines;
    Time newest{};
    for (const auto& draft : some) {
      AppendEventTail(lines, draft);
      lines += '\n';
      newest = std::max(newest, draft.at);
    }
    connection.Execute("INSERT INTO events (many, at, data) VALUES (?, ?, ?)", some.size(), newest, lines);
  }
}

void AddOpening(Connection& connection, ConcertId concert, Time opened_at, Time now) {
  if (!connection.Execute("INSERT IGNORE INTO concert_openings (concert_id) VALUES (?)", concert)) return;
  std::vector<EventDraft> drafts;
  AppendOpened(drafts, concert, opened_at, now);
  AddEvents(connection, drafts);
}

}  // namespace maejin::mysql
