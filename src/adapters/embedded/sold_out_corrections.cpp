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

// The ids of this server's dates are compared in memory, where new ones appear first.
Outcome<Done> EmbeddedSoldOutCorrections::TakeIds(const SoldOutHistory& history) {
  const auto concert = history.concert.concert;
  try {
    Connection connection(database_, Connection::Mode::kReadOnly);
    auto other =
        connection.Prepare("SELECT 1 FROM sold_out_schedules WHERE schedule_id = ? AND concert_id <> ?");
    for (const auto& date : history.schedules) {
      other.Reset();
      other.Bind(1, date.schedule).Bind(2, concert);
      if (other.Step()) return ScheduleTaken(date.schedule);
      const std::span one(&date, 1);
      if (reserve_ids_ && reserve_ids_(concert, one) != Imported::kNew) return ScheduleTaken(date.schedule);
    }
  } catch (const SqliteError& error) {
    LogError("rankings: cannot read sell-outs: {}", error.what());
    return Refusal::kUnavailable;
  }
  return Done{};
}

Task<Outcome<Done>> EmbeddedSoldOutCorrections::Correct(SoldOutHistory history) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  journal_.Flush();
  const auto found = Find(history.concert.concert);
  if (!found) co_return found.error();
  if (*found != Found::kImported) co_return Refusal::kNotRanked;
  const auto taken = TakeIds(history);
  if (!taken) co_return taken.error();
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
