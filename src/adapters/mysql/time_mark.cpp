#include "adapters/mysql/time_mark.h"

namespace maejin::mysql {

std::optional<Time> ReadTimeMark(Connection& connection) {
  auto row = connection.Query("SELECT value FROM ranking_settings WHERE name = 'time_mark'");
  if (!row.Next()) return std::nullopt;
  return TimeFromMillis(row.Int(0));
}

void WriteTimeMark(Pool& pool, Time now) {
  if (!pool.Connected()) return;
  pool.Send([now](Connection& connection) {
    connection.Execute(
        "INSERT INTO ranking_settings (name, value) VALUES ('time_mark', ?) "
        "ON DUPLICATE KEY UPDATE value = GREATEST(value, VALUES(value))",
        ToMillis(now));
  });
}

}  // namespace maejin::mysql
