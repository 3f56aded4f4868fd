#include "adapters/mysql/refusal_log.h"

namespace maejin::mysql {

// A commit without an answer is not repeated: counting twice would be worse than not at all.
Task<Outcome<Done>> MysqlRefusalLog::Add(Counts counts) {
  auto add = [counts = std::move(counts)](Connection& connection, const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown) return Done{};
    for (const auto& [key, count] : counts) {
      connection.Execute(
          "INSERT INTO refusals (concert_id, code, count) VALUES (?, ?, ?) "
          "ON DUPLICATE KEY UPDATE count = count + VALUES(count)",
          key.first, key.second, count);
    }
    return Done{};
  };
  return pool_.Write(std::move(add));
}

Task<Outcome<std::map<std::string, std::int64_t>>> MysqlRefusalLog::Read(ConcertId concert) {
  auto read = [concert](Connection& connection) -> Outcome<std::map<std::string, std::int64_t>> {
    std::map<std::string, std::int64_t> found;
    auto rows = connection.Query("SELECT code, count FROM refusals WHERE concert_id = ?", concert);
    while (rows.Next()) found.emplace(rows.Text(0), rows.Int(1));
    return found;
  };
  return pool_.Read(std::move(read));
}

}  // namespace maejin::mysql
