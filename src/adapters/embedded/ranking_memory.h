// The rankings in memory over the sold-out rows of the database: their state, how it is loaded, and how
// events change it. Base of EmbeddedRankingStore (ranking_store.h).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_set>

#include <boost/asio/thread_pool.hpp>

#include "adapters/embedded/imported_ids.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/progress_boards.h"
#include "adapters/embedded/sold_out_boards.h"
#include "adapters/embedded/sold_out_reader.h"
#include "base/fair_shared_mutex.h"
#include "base/run_elsewhere.h"
#include "store/ranking_store.h"

namespace maejin::embedded {

class RankingMemory : public RankingStore {
 public:
  struct Options {
    std::string database;  // the file the journal writes to
    TimeZone zone;
    Time now;  // expired windows are not loaded
  };

  // The number of rows that reconciliations found to differ from the database, since the start.
  std::uint64_t drift() const { return drift_.load(std::memory_order_relaxed); }
  // The memory of tables and boards, in bytes.
  std::size_t bytes() const;

 protected:
  using ConcertBoards = SoldOutBoards<ConcertTable>;
  using ScheduleBoards = SoldOutBoards<ScheduleTable>;
  // Everything that Rebuild() replaces at once.
  struct SoldOuts {
    SoldOuts(TimeZone zone, Time now, Date pruned_before)
        : concerts(BoardSource::kSoldOutConcerts, zone, now, pruned_before),
          schedules(BoardSource::kSoldOutSchedules, zone, now, pruned_before) {}
    ConcertBoards concerts;
    ScheduleBoards schedules;
  };

  // Loads everything. Throws SqliteError.
  RankingMemory(Journal& journal, Options options);

  std::unique_ptr<SoldOuts> LoadSoldOuts(Time now, Date pruned_before);
  ProgressBoards LoadProgress(Time now);
  // Loads one progress board that is no longer kept.
  ProgressBoard LoadOldProgress(const BoardWindow& window);
  // Loads the board of a window that is no longer kept into memory.
  Task<Outcome<Done>> EnsureLoaded(BoardWindow board);
  bool IsLoaded(const BoardWindow& board) const;
  bool LoadHistory(const BoardWindow& board);
  template <class Boards>
  bool LoadHistory(Boards SoldOuts::* which, const BoardWindow& board);

  // Ranks the sell-outs that are not on the boards yet, and returns their number.
  std::size_t AddAll(std::span<const ConcertSoldOut> concerts, std::span<const ScheduleSoldOut> schedules);
  // Ranks one sell-out, and appends its ranks to `news`.
  void AddWithNews(const ConcertSoldOut& sold_out, std::vector<RankingMovement>& news);
  void AddWithNews(const ScheduleSoldOut& sold_out, std::vector<RankingMovement>& news);
  ConcertRanks RanksInMemory(Row row) const;
  BoardWindow WindowOfConcert(WindowKind kind, Row row) const;
  void ApplyProgress(std::span<const BookingEvent> events);

  // Runs `work` on reader_thread_, where disk reads run one at a time. A request's thread does not wait.
  template <class Work>
  Task<std::invoke_result_t<Work>> OnReaderThread(Work work) {
    return RunElsewhere(
        [this](std::function<void()> job) { boost::asio::post(reader_thread_, std::move(job)); },
        std::move(work));
  }

  Journal& journal_;
  const TimeZone zone_;
  const std::string database_;

  mutable FairSharedMutex sold_outs_mutex_;
  std::unique_ptr<SoldOuts> sold_outs_;  // guarded by sold_outs_mutex_
  // The sell-outs that arrived while a rebuild reads the database. Guarded by sold_outs_mutex_.
  bool rebuilding_ = false;
  std::vector<ConcertSoldOut> concerts_since_;
  std::vector<ScheduleSoldOut> schedules_since_;
  Date pruned_before_{};  // guarded by sold_outs_mutex_
  Time now_;              // guarded by sold_outs_mutex_

  mutable FairSharedMutex progress_mutex_;
  ProgressBoards progress_;         // guarded by progress_mutex_
  AppliedEvents applied_progress_;  // guarded by progress_mutex_
  // The changes that arrived while a comparison reads the database. Guarded by progress_mutex_.
  bool comparing_progress_ = false;
  std::vector<ProgressChanged> progress_since_;

  std::mutex import_mutex_;
  SoldOutIds importing_;  // guarded by import_mutex_: appended, not yet applied

  std::atomic<std::uint64_t> sold_outs_version_{1};
  std::atomic<std::uint64_t> progress_version_{1};
  std::atomic<std::uint64_t> drift_{0};
  std::atomic<std::int64_t> next_tick_ms_{0};
  std::function<void(const RankingMovement&)> movement_;
  ReserveIds reserve_ids_;

  // The maximum of sell-outs of each kind that one Reconcile() compares.
  static constexpr std::int64_t kReconciledRows = 50'000;
  std::unique_ptr<SoldOutReader> reader_;  // used on reader_thread_ only (and before it starts)
  ConcertId next_concert_ = INT64_MIN;     // the first concert of the next Reconcile(); reader_thread_ only
  ScheduleId next_schedule_ = INT64_MIN;
  boost::asio::thread_pool reader_thread_{1};
};

}  // namespace maejin::embedded
