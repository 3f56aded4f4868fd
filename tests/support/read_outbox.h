// Reads the outbox of a database, for tests.
#pragma once

#include <vector>

#include "adapters/mysql/outbox.h"

namespace maejin::testing_support {

// The events with the lowest ids, ascending, at most `limit`.
inline std::vector<BookingEvent> ReadOutbox(mysql::Connection& connection, std::size_t limit) {
  std::vector<BookingEvent> events;
  auto rows = connection.Query("SELECT id, kind, payload FROM outbox ORDER BY id LIMIT ?", limit);
  while (rows.Next()) {
    events.push_back(
        {static_cast<std::uint64_t>(rows.Int(0)), mysql::ParsePayload(rows.Text(1), rows.Text(2)).value()});
  }
  return events;
}

}  // namespace maejin::testing_support
