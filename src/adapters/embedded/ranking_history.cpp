#include "adapters/embedded/ranking_history.h"

#include <algorithm>
#include <unordered_set>

#include "adapters/embedded/progress_boards.h"
#include "adapters/embedded/sold_out_rows.h"
#include "base/log.h"
#include "domain/import_ids.h"

namespace maejin::embedded {
namespace {

// So often a moment is looked for in which nothing is on its way from the disk to the boards.
constexpr int kQuietMoments = 50;

template <class Row>
auto Into(std::vector<Row>& rows) {
  return [&rows](const Row& row) { rows.push_back(row); };
}

}  // namespace

template <class Read>
Task<Outcome<std::invoke_result_t<Read, SoldOutReader&>>> EmbeddedRankingHistory::Reading(Read read) {
  try {
    const auto post = [this](auto job) { boost::asio::post(reader_thread_, std::move(job)); };
    const auto work = [this, read = std::move(read)] { return read(reader_); };
    auto result = co_await RunElsewhere(post, work);
    co_return result;
  } catch (const SqliteError& error) {
    LogError("rankings: cannot read history: {}", error.what());
    co_return Refusal::kUnavailable;
  }
}

Task<Outcome<std::vector<ConcertSoldOut>>> EmbeddedRankingHistory::ConcertsAfter(ConcertId after,
                                                                                 std::size_t count) {
  return Reading([after, count](SoldOutReader& reader) {
    std::vector<ConcertSoldOut> rows;
    reader.ConcertsAfter(after, static_cast<std::int64_t>(count), Into(rows));
    return rows;
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> EmbeddedRankingHistory::SchedulesAfter(ScheduleId after,
                                                                                   std::size_t count) {
  return Reading([after, count](SoldOutReader& reader) {
    std::vector<ScheduleSoldOut> rows;
    reader.SchedulesAfter(after, static_cast<std::int64_t>(count), Into(rows));
    return rows;
  });
}

Task<Outcome<std::vector<ConcertSoldOut>>> EmbeddedRankingHistory::ConcertsIn(TimeRange range) {
  return Reading([range](SoldOutReader& reader) {
    std::vector<ConcertSoldOut> rows;
    reader.ConcertRowsIn(range, Into(rows));
    return rows;
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> EmbeddedRankingHistory::SchedulesIn(TimeRange range) {
  return Reading([range](SoldOutReader& reader) {
    std::vector<ScheduleSoldOut> rows;
    reader.ScheduleRowsIn(range, Into(rows));
    return rows;
  });
}

Task<Outcome<SoldOutCounts>> EmbeddedRankingHistory::Count() {
  return Reading([](SoldOutReader& reader) { return reader.Count(); });
}

// What the disk says and what the boards were told agree where nothing was delivered while it was read.
Task<Outcome<ReservedSeats>> EmbeddedRankingHistory::Reserved() {
  const auto read = [this](SoldOutReader& reader) -> std::optional<ReservedSeats> {
    for (int moment = 0; moment < kQuietMoments; ++moment) {
      const auto before = options_.backlog().delivered;
      ReservedSeats reserved;
      reader.EachReserved(Into(reserved.seats));
      journal_.Flush();
      auto after = options_.backlog();
      if (after.delivered != before) continue;
      reserved.pending = std::move(after.ids);
      return reserved;
    }
    return {};
  };
  auto reserved = co_await Reading(read);
  if (!reserved.ok()) co_return reserved.error();
  if (!*reserved) co_return Refusal::kUnavailable;
  co_return std::move(**reserved);
}

bool EmbeddedRankingHistory::Claim(const SoldOutHistory& history) const {
  if (!options_.claim) return true;
  ScheduleId highest = 0;
  for (const auto& schedule : history.schedules) {
    if (schedule.schedule < kFirstImportedId) highest = std::max(highest, schedule.schedule);
  }
  return options_.claim(history.concert.concert, highest);
}

Task<Outcome<std::vector<bool>>> EmbeddedRankingHistory::Import(std::vector<SoldOutHistory> histories) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  std::vector<ConcertId> ids;
  for (const auto& history : histories) ids.push_back(history.concert.concert);
  const auto find = [ids](SoldOutReader& reader) {
    std::unordered_set<ConcertId> found;
    for (const auto id : ids) {
      if (reader.HasConcert(id)) found.insert(id);
    }
    return found;
  };
  auto known = co_await Reading(find);
  if (!known.ok()) co_return known.error();
  std::vector<bool> is_new(histories.size(), false);
  WriteSet rows;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    // The second of two within one import is there already.
    if (!known->insert(histories[i].concert.concert).second || !Claim(histories[i])) continue;
    is_new[i] = true;
    AddSoldOutRow(rows, histories[i].concert);
    for (const auto& schedule : histories[i].schedules) AddSoldOutRow(rows, schedule);
  }
  const auto ticket = journal_.Append(rows);
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed) co_return committed.error();
  co_return is_new;
}

Task<Outcome<Date>> EmbeddedRankingHistory::PrunedBefore() {
  return Reading(
      [](SoldOutReader& reader) { return DateOfMember(reader.Setting("pruned_before").value_or(0)); });
}

Task<Outcome<Date>> EmbeddedRankingHistory::Prune(Date before) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  WriteSet rows;
  AddPrunedBefore(rows, before);
  const auto ticket = journal_.Append(rows);
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed) co_return committed.error();
  auto now = co_await PrunedBefore();
  co_return now;
}

}  // namespace maejin::embedded
