// The rankings of many nodes, in Redis or Valkey: the seeds' sorted sets, each beside a twin in exact order.
// Every transition is one Lua script (scripts/ranking_*.lua).
//
// Redis may be lost: `ranking:state` says whether the boards are complete. Until they are (again), every
// question is answered from the database, and a node that notices makes them anew. Windows past their
// retention are always answered from there.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>

#include "adapters/redis/client/client.h"
#include "adapters/redis/client/errands.h"
#include "adapters/redis/ranking/history_boards.h"
#include "adapters/redis/ranking/keys.h"
#include "base/random.h"
#include "store/ranking_history.h"
#include "store/ranking_store.h"

namespace maejin::redis {

struct RankingStoreOptions {
  TimeZone zone;
  Time now;
  // Boards expire by themselves when their retention is over. Off: time is not Redis's (tests).
  bool expire = true;
};

class RankingStore final : public maejin::RankingStore {
 public:
  // All outlive the store.
  RankingStore(Client& client, RankingHistory& history, Random& random, RankingStoreOptions options);
  // Waits for what runs on the client's thread.
  ~RankingStore() override;

  Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) override;
  Task<Outcome<RankingPage<RankedConcert>>> Concerts(PageQuery query) override;
  Task<Outcome<RankingPage<RankedSchedule>>> Schedules(PageQuery query) override;
  Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query) override;
  Task<Outcome<RankingPage<RankedConcert>>> ConcertRank(RankQuery query) override;
  Task<Outcome<RankingPage<RankedSchedule>>> ScheduleRank(RankQuery query) override;
  Task<Outcome<RankedProgress>> ProgressOf(BoardWindow board, Date concert_date) override;
  Task<Outcome<RankedProgress>> ProgressOfSchedule(ScheduleId schedule) override;
  Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert) override;
  Task<Outcome<std::optional<Time>>> SoldOutAt(ConcertId concert) override;
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override;
  Task<Outcome<Done>> Rebuild() override;
  Task<Outcome<PruneReport>> Prune(Date before) override;
  Task<Outcome<ReconcileReport>> Reconcile() override;
  // Also looks, about once a second, whether the boards are complete, and makes them anew where they are not.
  void Tick(Time now) override;
  // Always absent: other nodes change the boards.
  std::optional<RankingVersions> VersionsAtOnce() const override { return {}; }
  void OnMovement(std::function<void(const RankingMovement&)> listener) override;

  // The boards tell of one database. True: of this one, from now on if nobody's was named before.
  Task<Outcome<bool>> TellOf(std::string database);

  // Makes the boards unless they are complete.
  Task<Outcome<Done>> Warm();

  // Rows that were found to differ from the database since the start.
  std::uint64_t drift() const { return drift_.load(std::memory_order_relaxed); }

 private:
  // What a read script answered: absent where the database must be asked.
  struct Piece {
    std::int64_t visible = 0;
    std::int64_t first = 0;
    std::vector<Reply> orders;
    std::vector<Reply> details;
  };
  using ReadWords = std::vector<std::string>;

  bool IsKept(const BoardWindow& board) const;
  std::string ExpiryText(const BoardWindow& board) const;
  template <class SoldOut>
  std::vector<BoardWindow> KeptBoards(const SoldOut& sold_out) const;

  // Reading. kNotRanked comes from Redis; absent: ask the database.
  Task<std::optional<Outcome<Piece>>> ReadBoard(BoardWindow board, ReadWords words);
  template <class SoldOut>
  Task<std::optional<Outcome<std::optional<SoldOut>>>> FindInRedis(std::int64_t id);
  template <class SoldOut>
  Task<Outcome<std::optional<SoldOut>>> Find(std::int64_t id);
  template <class SoldOut, class Entry>
  Task<Outcome<RankingPage<Entry>>> ReadPage(PageQuery query);
  template <class SoldOut, class Entry>
  Task<Outcome<RankingPage<Entry>>> ReadRank(RankQuery query);
  template <class SoldOut, class Entry>
  static Outcome<RankingPage<Entry>> PageOf(Outcome<Piece> piece);
  static Outcome<RankingPage<RankedProgress>> ProgressPageOf(const BoardWindow& board, Outcome<Piece> piece);
  Task<Outcome<RankedProgress>> ProgressOfMember(BoardWindow board, std::string member);

  // Writing.
  template <class SoldOut>
  ScriptArguments AddArguments(std::span<const SoldOut> rows, bool repair) const;
  // For every row what ranking_add.lua says.
  template <class SoldOut>
  Task<Outcome<std::vector<Reply>>> Add(std::vector<SoldOut> rows, bool repair);
  template <class SoldOut>
  Task<Outcome<Done>> ApplySoldOuts(std::vector<SoldOut> rows, std::vector<bool> tell);
  Task<Outcome<Done>> ApplyProgress(std::vector<BookingEvent> events);
  ScriptArguments ProgressArguments(std::span<const BookingEvent> events) const;
  std::vector<BoardWindow> ProgressBoardsOf(const ProgressChanged& change) const;
  template <class SoldOut>
  Task<Outcome<Done>> Remove(SoldOut row);
  Task<void> Tell(ConcertSoldOut sold_out, bool publish);
  Task<void> Tell(ScheduleSoldOut sold_out, bool publish);
  Task<void> HearOf(std::string message);

  // Upkeep.
  struct Walk {
    std::int64_t after = INT64_MIN;
    std::int64_t checked = 0;
    std::int64_t drift = 0;
    bool ended = false;
  };
  template <class SoldOut>
  Task<Outcome<std::vector<SoldOut>>> RowsAfter(std::int64_t after, std::size_t count);
  // Compares the next rows of the database with the boards and repairs what differs.
  template <class SoldOut>
  Task<Outcome<Walk>> RepairNext(Walk walk, std::shared_ptr<std::unordered_set<std::int64_t>> seen);
  template <class SoldOut>
  Task<Outcome<std::int64_t>> RepairAll();
  template <class SoldOut>
  Task<Outcome<std::int64_t>> RemoveExtras(std::shared_ptr<const std::unordered_set<std::int64_t>> known);
  // The progress boards by window, member and seats, as the database counts them.
  using Counts = std::map<BoardWindow, std::map<std::string, std::int64_t>>;
  Counts CountReserved(const ReservedSeats& reserved) const;
  Task<Outcome<Counts>> ReadCounts();
  static std::int64_t DifferencesBetween(const Counts& database, const Counts& live);
  std::vector<BoardWindow> ProgressWindows() const;
  // While it runs nobody else counts; false: another does it already.
  Task<Outcome<bool>> RaiseFence(std::string token);
  Task<Outcome<std::int64_t>> RebuildProgress(bool only_if_wrong);
  Task<Outcome<Done>> ReplaceProgress(Counts counts, ReservedSeats reserved, std::string token);
  Task<Outcome<Done>> Stage(BoardWindow board, std::map<std::string, std::int64_t> rows);
  Task<CallResult> AskState();
  Task<void> Look();

  Client& client_;
  RankingHistory& history_;
  const RankingStoreOptions options_;
  const RankingKeys keys_;
  HistoryBoards from_database_;
  std::string node_;  // tells this store's messages from others'
  std::atomic<std::int64_t> now_ms_;
  std::atomic<std::int64_t> pruned_before_{0};  // days since 1970-01-01
  std::atomic<std::int64_t> changes_{0};        // the highest that Redis has told
  std::atomic<std::uint64_t> drift_{0};
  std::atomic<std::int64_t> next_look_ms_{0};
  std::function<void(const RankingMovement&)> movement_;
  std::mutex walk_mutex_;
  Walk concerts_walk_;                               // guarded by walk_mutex_: where Reconcile() goes on
  Walk schedules_walk_;                              // the same
  std::atomic<std::int64_t> compared_progress_{-1};  // the state of progress that was found right
  Random& random_;
  std::shared_ptr<Errands> errands_ = std::make_shared<Errands>();
  Client::Subscription movements_;
};

// In ranking_reads.cpp; named here, because others ask for them.
template <>
Task<Outcome<std::vector<ConcertSoldOut>>> RankingStore::RowsAfter(std::int64_t after, std::size_t count);
template <>
Task<Outcome<std::vector<ScheduleSoldOut>>> RankingStore::RowsAfter(std::int64_t after, std::size_t count);

}  // namespace maejin::redis
