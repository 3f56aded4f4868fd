#include "adapters/mysql/event_rows.h"

#include "adapters/mysql/insert_all.h"
#include "store/booking_events.h"

namespace maejin::mysql {

void AddEvents(Connection& connection, const std::vector<EventDraft>& drafts) {
  std::vector<const EventDraft*> rows;
  for (const auto& draft : drafts) rows.push_back(&draft);
  const auto values_of = [](const EventDraft& row, std::vector<Value>& values) {
    values.insert(values.end(), {row.type, row.at, row.subject, row.data});
  };
  InsertAll(connection, "INSERT INTO events (type, at, subject, data) VALUES ", "(?, ?, ?, ?)", rows,
            values_of);
}

void AddOpening(Connection& connection, ConcertId concert, Time opened_at, Time now) {
  if (!connection.Execute("INSERT IGNORE INTO concert_openings (concert_id) VALUES (?)", concert)) return;
  std::vector<EventDraft> drafts;
  AppendOpened(drafts, concert, opened_at, now);
  AddEvents(connection, drafts);
}

}  // namespace maejin::mysql
