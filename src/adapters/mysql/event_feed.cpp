#include "adapters/mysql/event_feed.h"

#include <algorithm>

#include "base/run_task.h"

namespace maejin::mysql {
namespace {

// The maximum of events that one transaction numbers, that one call reads, and that one call removes.
constexpr std::size_t kNumberedAtOnce = 1'000;
constexpr std::int64_t kMaxScanned = 5'000;
constexpr int kPrunedAtOnce = 2'000;

Event EventOf(const Rows& row) {
  Event event;
  event.id = row.Int(0);
  event.type = row.Text(1);
  const EventDraft draft{event.type, row.At(2), std::string(row.Text(3)), std::string(row.Text(4))};
  AppendEventId(event.json, event.id);
  AppendEventTail(event.json, draft);
  return event;
}

// How many numbers follow each other without a gap, from `first`. Most do: a gap is a transaction that is
// open or was rolled back.
std::size_t RunFrom(const std::vector<std::int64_t>& numbers, std::size_t first) {
  std::size_t many = 1;
  while (first + many < numbers.size() && numbers[first + many] == numbers[first + many - 1] + 1) ++many;
  return many;
}

}  // namespace

Task<Outcome<EventPage>> MysqlEventFeed::Read(EventQuery query) {
  if (query.after >= NewestAtOnce()) co_return EventPage{{}, query.after};
  auto read = [query = std::move(query)](Connection& connection) -> Outcome<EventPage> {
    EventPage page{{}, query.after};
    auto rows = connection.Query(
        "SELECT id, type, at, subject, data FROM events WHERE id > ? ORDER BY id LIMIT ?", query.after,
        query.filter.patterns().empty() ? static_cast<std::int64_t>(query.limit) : kMaxScanned);
    while (page.events.size() < query.limit && rows.Next()) {
      page.next = rows.Int(0);
      if (query.filter.Matches(rows.Text(1))) page.events.push_back(EventOf(rows));
    }
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
        // A read without locks sees what was committed before it, and nothing of open transactions.
        std::vector<std::int64_t> numbers;
        {
          auto rows = connection.Query("SELECT number FROM events WHERE id IS NULL ORDER BY number LIMIT ?",
                                       kNumberedAtOnce);
          while (rows.Next()) numbers.push_back(rows.Int(0));
        }
        if (numbers.empty()) return std::pair<std::int64_t, bool>{last, false};
        for (std::size_t first = 0; first < numbers.size();) {
          const auto many = RunFrom(numbers, first);
          connection.Execute("UPDATE events SET id = number + ? WHERE number BETWEEN ? AND ?",
                             last + 1 - numbers[first], numbers[first], numbers[first + many - 1]);
          last += static_cast<std::int64_t>(many);
          first += many;
        }
        connection.Execute("UPDATE event_head SET last_id = ? WHERE one = 1", last);
        return std::pair{last, numbers.size() == kNumberedAtOnce};
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
