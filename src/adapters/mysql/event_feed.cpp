#include "adapters/mysql/event_feed.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/run_task.h"
#include "base/take_until.h"

namespace maejin::mysql {
namespace {

// The maximum of rows that one transaction numbers, that one filtered read scans, and that one Prune()
// deletes.
constexpr std::size_t kNumberedAtOnce = 1'000;
constexpr std::int64_t kMaxScanned = 2'000;
constexpr int kPrunedAtOnce = 2'000;

// Adds the events of a row that match the query and come after the page's last event, until the page is full.
void AddToPage(EventPage& page, const EventQuery& query, const Rows& row) {
  auto id = row.Int(0) - row.Int(1);
  for (auto lines = row.Text(2); !lines.empty() && page.events.size() < query.limit;) {
    const auto line = TakeUntil(lines, '\n');
    if (++id <= page.next) continue;
    page.next = id;
    std::string json;
    AppendEventId(json, id);
    auto event = ParseEvent(json.append(line));
    if (query.filter.Matches(event.type)) page.events.push_back(std::move(event));
  }
}

// The key of a row without ids, and the number of its events.
struct Unnumbered {
  std::int64_t number = 0;
  std::int64_t many = 0;
};

// Gives the ids after `last` to the rows. Returns the last id.
std::int64_t GiveIds(Connection& connection, const std::vector<Unnumbered>& rows, std::int64_t last) {
  std::string ids;
  for (const auto& row : rows) {
    last += row.many;
    ids += fmt::format("{}SELECT {} AS number, {} AS id", ids.empty() ? "" : " UNION ALL ", row.number, last);
  }
  connection.Command("UPDATE events e JOIN (" + ids + ") g ON g.number = e.number SET e.id = g.id");
  connection.Execute("UPDATE event_head SET last_id = ? WHERE one = 1", last);
  return last;
}

}  // namespace

Task<Outcome<EventPage>> MysqlEventFeed::Read(EventQuery query) {
  if (query.after >= NewestAtOnce()) co_return EventPage{{}, query.after};
  auto read = [query = std::move(query)](Connection& connection) -> Outcome<EventPage> {
    EventPage page{{}, query.after};
    auto rows = connection.Query(
        "SELECT id, many, data FROM events WHERE id > ? ORDER BY id LIMIT ?", query.after,
        query.filter.patterns().empty() ? static_cast<std::int64_t>(query.limit) : kMaxScanned);
    while (page.events.size() < query.limit && rows.Next()) AddToPage(page, query, rows);
    return page;
  };
  co_return co_await pool_.Read(std::move(read));
}

void MysqlEventFeed::NumberEvents() {
  if (!pool_.Connected()) return;
  const auto waiting = RunTask(pool_.Read([this](Connection& connection) -> Outcome<bool> {
    auto row = connection.Query(
        "SELECT last_id, EXISTS (SELECT 1 FROM events WHERE id IS NULL) FROM event_head WHERE one = 1");
    if (!row.Next()) return false;
    newest_.store(row.Int(0), std::memory_order_release);
    return row.Int(1) != 0;
  }));
  if (!waiting || !*waiting) return;
  while (NumberSome()) {
  }
}

bool MysqlEventFeed::NumberSome() {
  const auto newest = RunTask(
      pool_.Write([](Connection& connection, const Attempt&) -> Outcome<std::pair<std::int64_t, bool>> {
        std::int64_t last = 0;
        {
          auto head = connection.Query("SELECT last_id FROM event_head WHERE one = 1 FOR UPDATE SKIP LOCKED");
          if (!head.Next()) return std::pair<std::int64_t, bool>{0, false};
          last = head.Int(0);
        }
        // A read without locks sees the events of committed transactions only.
        std::vector<Unnumbered> unnumbered;
        {
          auto rows = connection.Query(
              "SELECT number, many FROM events WHERE id IS NULL ORDER BY number LIMIT ?", kNumberedAtOnce);
          while (rows.Next()) unnumbered.push_back({rows.Int(0), rows.Int(1)});
        }
        if (unnumbered.empty()) return std::pair<std::int64_t, bool>{last, false};
        return std::pair{GiveIds(connection, unnumbered, last), unnumbered.size() == kNumberedAtOnce};
      }));
  if (!newest) return false;
  if (newest->first > newest_.load()) newest_.store(newest->first, std::memory_order_release);
  return newest->second;
}

void MysqlEventFeed::Prune(Time before) {
  if (!pool_.Connected()) return;
  pool_.Send([before, newest = NewestAtOnce()](Connection& connection) {
    connection.Execute("DELETE FROM events WHERE id < ? AND at < ? ORDER BY id LIMIT ?", newest, before,
                       kPrunedAtOnce);
  });
}

}  // namespace maejin::mysql
