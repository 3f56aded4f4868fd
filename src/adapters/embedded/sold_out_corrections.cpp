#include "adapters/embedded/sold_out_corrections.h"

#include "adapters/embedded/sold_out_rows.h"
#include "adapters/embedded/sqlite.h"
#include "base/log.h"

namespace maejin::embedded {

EmbeddedSoldOutCorrections::EmbeddedSoldOutCorrections(Journal& journal, std::string database)
    : journal_(journal), database_(std::move(database)) {
  Connection connection(database_, Connection::Mode::kReadOnly);
  auto row = connection.Prepare("SELECT concert_id FROM sold_out_removals");
  while (row.Step()) removed_.insert(row.Int(0));
}

// An operator corrects rarely: the file is opened for each call.
Outcome<EmbeddedSoldOutCorrections::Found> EmbeddedSoldOutCorrections::Find(ConcertId concert) const {
  try {
    Connection connection(database_, Connection::Mode::kReadOnly);
    auto row = connection.Prepare(
        "SELECT EXISTS (SELECT 1 FROM concerts WHERE id = concert_id) FROM sold_out_concerts WHERE "
        "concert_id = "
        "?");
    row.Bind(1, concert);
    if (!row.Step()) return Found::kNone;
    return row.Int(0) != 0 ? Found::kOwn : Found::kImported;
  } catch (const SqliteError& error) {
    LogError("rankings: cannot read sell-outs: {}", error.what());
    return Refusal::kUnavailable;
  }
}

Task<Outcome<Done>> EmbeddedSoldOutCorrections::Remove(ConcertId concert, Time now) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  journal_.Flush();
  const auto found = Find(concert);
  if (!found) co_return found.error();
  if (*found == Found::kNone) co_return Refusal::kNotRanked;
  WriteSet rows;
  AddRemovalRow(rows, concert, now);
  {
    const std::lock_guard lock(mutex_);
    removed_.insert(concert);
  }
  const auto committed = co_await journal_.Committed(journal_.Append(rows));
  co_return committed;
}

Task<Outcome<Done>> EmbeddedSoldOutCorrections::Correct(SoldOutHistory history) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  journal_.Flush();
  const auto found = Find(history.concert.concert);
  if (!found) co_return found.error();
  if (*found != Found::kImported) co_return Refusal::kNotRanked;
  WriteSet rows;
  ReplaceSoldOutRows(rows, history);
  {
    const std::lock_guard lock(mutex_);
    removed_.erase(history.concert.concert);
  }
  const auto committed = co_await journal_.Committed(journal_.Append(rows));
  co_return committed;
}

bool EmbeddedSoldOutCorrections::IsRemoved(ConcertId concert) const {
  const std::lock_guard lock(mutex_);
  return removed_.contains(concert);
}

}  // namespace maejin::embedded
