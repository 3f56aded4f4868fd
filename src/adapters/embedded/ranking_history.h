// The rankings' history in the embedded database, for boards in another store.
#pragma once

#include <functional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "adapters/embedded/event_relay.h"
#include "adapters/embedded/imported_ids.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/sold_out_reader.h"
#include "base/run_elsewhere.h"
#include "store/ranking_history.h"

namespace maejin::embedded {

// Thread-safe.
class EmbeddedRankingHistory final : public RankingHistory {
 public:
  struct Options {
    std::string database;  // the file the journal writes to
    // Events that are committed and not yet applied to the boards.
    std::function<EventRelay::Backlog()> backlog;
    ReserveIds reserve_ids = {};
  };
  // The journal outlives the history. Throws SqliteError.
  EmbeddedRankingHistory(Journal& journal, Options options)
      : journal_(journal), options_(std::move(options)), reader_(options_.database) {}
  ~EmbeddedRankingHistory() override { reader_thread_.join(); }

  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsAfter(ConcertId after, std::size_t count) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesAfter(ScheduleId after, std::size_t count) override;
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsWith(std::vector<ConcertId> ids) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesWith(std::vector<ScheduleId> ids) override;
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsIn(TimeRange range) override;
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesIn(TimeRange range) override;
  Task<Outcome<SoldOutCounts>> Count() override;
  Task<Outcome<ReservedSeats>> Reserved() override;
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override;
  Task<Outcome<Date>> PrunedBefore() override;
  Task<Outcome<Date>> Prune(Date before) override;

 private:
  // Runs `read(reader)` on reader_thread_, which may wait for the disk. Refuses: kUnavailable (`read` threw).
  template <class Read>
  Task<Outcome<std::invoke_result_t<Read, SoldOutReader&>>> Reading(Read read);
  // Reserves the ids of the history that `known` lacks, and adds them to `known`.
  Imported ReserveIdsOf(const SoldOutHistory& history, SoldOutIds& known) const;

  Journal& journal_;
  const Options options_;
  SoldOutReader reader_;  // on reader_thread_ only
  boost::asio::thread_pool reader_thread_{1};
};

}  // namespace maejin::embedded
