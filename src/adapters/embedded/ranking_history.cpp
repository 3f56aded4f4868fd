#include "adapters/embedded/ranking_history.h"

#include <algorithm>

#include "adapters/embedded/progress_boards.h"
#include "adapters/embedded/sold_out_rows.h"
#include "base/log.h"

namespace maejin::embedded {
namespace {

// The maximum of attempts to read the seats without an event being delivered during the read.
constexpr int kQuietMoments = 50;

template <class Row>
auto Into(std::vector<Row>& rows) {
  return [&rows](const Row& row) { rows.push_back(row); };
}

}  // namespace

template <class Read>
Task<Outcome<std::invoke_result_t<Read, SoldOutReader&>>> EmbeddedRankingHistory::Reading(Read read) {
  try {
    const auto post = [this](std::function<void()> job) {
      boost::asio::post(reader_thread_, std::move(job));
    };
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

Task<Outcome<std::vector<ConcertSoldOut>>> EmbeddedRankingHistory::ConcertsWith(std::vector<ConcertId> ids) {
  return Reading([ids = std::move(ids)](SoldOutReader& reader) {
    std::vector<ConcertSoldOut> rows;
    reader.ConcertsWith(ids, Into(rows));
    return rows;
  });
}

Task<Outcome<std::vector<ScheduleSoldOut>>> EmbeddedRankingHistory::SchedulesWith(
    std::vector<ScheduleId> ids) {
  return Reading([ids = std::move(ids)](SoldOutReader& reader) {
    std::vector<ScheduleSoldOut> rows;
    reader.SchedulesWith(ids, Into(rows));
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

// The seats and the pending events belong together only if no event was delivered during the read.
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

Imported EmbeddedRankingHistory::ReserveIdsOf(const SoldOutHistory& history, SoldOutIds& known) const {
  auto result = known.Find(history);
  if (result == Imported::kNew && options_.reserve_ids)
    result = options_.reserve_ids(history.concert.concert, history.schedules);
  // If the same import contains the history again, Find() returns kKnown.
  if (result == Imported::kNew) known.Add(history);
  return result;
}

Task<Outcome<std::vector<Imported>>> EmbeddedRankingHistory::Import(std::vector<SoldOutHistory> histories) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto asked = std::make_shared<const std::vector<SoldOutHistory>>(std::move(histories));
  const auto find = [asked](SoldOutReader& reader) {
    SoldOutIds found;
    for (const auto& history : *asked) {
      if (reader.HasConcert(history.concert.concert)) found.concerts.insert(history.concert.concert);
      for (const auto& schedule : history.schedules) {
        if (reader.HasSchedule(schedule.schedule)) found.schedules.insert(schedule.schedule);
      }
    }
    return found;
  };
  auto known = co_await Reading(find);
  if (!known.ok()) co_return known.error();
  std::vector<Imported> imported;
  WriteSet rows;
  for (const auto& history : *asked) {
    imported.push_back(ReserveIdsOf(history, *known));
    if (imported.back() != Imported::kNew) continue;
    AddSoldOutRow(rows, history.concert);
    for (const auto& schedule : history.schedules) AddSoldOutRow(rows, schedule);
  }
  const auto ticket = journal_.Append(rows);
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed) co_return committed.error();
  co_return imported;
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
