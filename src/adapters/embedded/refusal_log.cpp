#include "adapters/embedded/refusal_log.h"

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr Sql kAddRefusals{
    "INSERT INTO refusals (concert_id, code, count) VALUES (?, ?, ?) "
    "ON CONFLICT (concert_id, code) DO UPDATE SET count = count + excluded.count"};

}  // namespace

Task<Outcome<Done>> EmbeddedRefusalLog::Add(Counts counts) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  WriteSet rows;
  for (const auto& [key, count] : counts) rows.Add(kAddRefusals).Int(key.first).Text(key.second).Int(count);
  const auto committed = co_await journal_.Committed(journal_.Append(rows));
  co_return committed;
}

// Reports are rare: the file is opened for each call.
Task<Outcome<std::map<std::string, std::int64_t>>> EmbeddedRefusalLog::Read(ConcertId concert) {
  std::map<std::string, std::int64_t> found;
  try {
    Connection connection(database_, Connection::Mode::kReadOnly);
    auto row = connection.Prepare("SELECT code, count FROM refusals WHERE concert_id = ?");
    row.Bind(1, concert);
    while (row.Step()) found.emplace(row.Text(0), row.Int(1));
  } catch (const SqliteError& error) {
    LogError("the refusals cannot be read: {}", error.what());
    co_return Refusal::kUnavailable;
  }
  co_return found;
}

}  // namespace maejin::embedded
