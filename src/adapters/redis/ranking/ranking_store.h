// The rankings of many nodes, in Redis or Valkey. Each board is a sorted set (keys.h). Titles and other
// details stay in the database; each node caches them.
// Every transition is one Lua script (scripts/ranking_*.lua).
//
// Redis may lose data: `ranking:state` says whether the boards are complete. While the boards are incomplete,
// every read comes from the database, and one node rebuilds them.
#pragma once

#include <atomic>
#include <mutex>

#include "adapters/redis/ranking/board_reads.h"
#include "adapters/redis/ranking/movement_feed.h"
#include "adapters/redis/ranking/progress_writer.h"
#include "adapters/redis/ranking/sold_out_repair.h"
#include "adapters/redis/ranking/sold_out_writer.h"
#include "base/random.h"
#include "store/ranking_history.h"
#include "store/ranking_store.h"

namespace maejin::redis {

// Results, refusals and threads as in store/ranking_store.h.
class RankingStore final : public BoardReads {
 public:
  // The references outlive the store.
  RankingStore(Client& client, RankingHistory& history, Random& random, RankingStoreOptions options);
  // Waits for the store's tasks on the client's thread.
  ~RankingStore() override;

  Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) override;
  Task<void> RankCommitted(ScheduleId schedule, ConcertId concert) override;
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override;
  Task<Outcome<Done>> Rebuild() override;
  Task<Outcome<PruneReport>> Prune(Date before) override;
  Task<Outcome<ReconcileReport>> Reconcile() override;
  // Also starts, about once a second, a check of ranking:state, and a rebuild where data was lost.
  void Tick(Time now) override;
  // Always absent: other nodes change the boards.
  std::optional<RankingVersions> VersionsAtOnce() const override { return {}; }
  void OnMovement(std::function<void(const RankingMovement&)> listener) override;

  // Binds the boards to `database` unless they are bound already. True: the boards belong to `database`.
  // Refuses: kUnavailable.
  Task<Outcome<bool>> BindToDatabase(std::string database);

  // Rebuilds the boards unless they are complete. Refuses: kUnavailable.
  Task<Outcome<Done>> EnsureComplete();

  // Rows that Reconcile() found to differ from the database since the start.
  std::uint64_t drift() const { return drift_.load(std::memory_order_relaxed); }

 private:
  // Puts rows on the boards, and announces those that are new.
  template <class SoldOut>
  Task<Outcome<Done>> RankAndAnnounce(std::vector<SoldOut> rows);
  // Ranks the rows that the database has for these ids: the database decides which sell-out of an id is the
  // first.
  template <class SoldOut>
  Task<Outcome<Done>> ApplySoldOuts(std::vector<std::int64_t> ids);
  Task<void> RemoveOldKeys();
  Task<Outcome<BoardState>> ReadState();
  Task<void> CheckState();
  Task<void> BuildWeeksOfSoldOut();

  const std::string node_;
  SoldOutWriter sold_outs_;
  SoldOutRepair repair_;
  ProgressWriter progress_;
  MovementFeed movements_;
  std::atomic<std::int64_t> changes_{0};  // `changes` of ranking:state at the last check
  std::atomic<std::uint64_t> drift_{0};
  std::atomic<std::int64_t> next_check_ms_{0};
  std::mutex sold_out_mutex_;
  std::vector<ScheduleId> sold_out_;  // guarded by sold_out_mutex_; since the last check
};

}  // namespace maejin::redis
