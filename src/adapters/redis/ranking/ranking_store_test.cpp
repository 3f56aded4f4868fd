// The boards in Redis as redis-cli sees them, and their recovery after Redis lost data.
#include "adapters/redis/ranking/ranking_store.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/redis_server.h"
#include "tests/support/remembered_history.h"

namespace maejin::redis {
namespace {

const Time kNow = *ParseTime(
    "2036-03-02T12:00:00Z");  // in the future of Redis's clock, so that no key expires during a test
const TimeZone kSeoul = *TimeZone::Find("Asia/Seoul");

ConcertSoldOut Concert(ConcertId id, Millis duration, std::int64_t dates = 1) {
  return {.concert = id,
          .title = "Concert " + std::to_string(id),
          .artist = "Artist",
          .venue = "Venue",
          .dates = dates,
          .seats = 50,
          .booking_open_at = kNow - duration,
          .sold_out_at = kNow};
}

ScheduleSoldOut Schedule(ScheduleId id, Millis duration) {
  return {.schedule = id,
          .concert = 1,
          .concert_date = *ParseDate("2036-05-01"),
          .seats = 50,
          .started_at = kNow - duration,
          .sold_out_at = kNow};
}

BookingEvent Progress(std::uint64_t id, const char* date, std::int64_t seats) {
  ProgressChanged change;
  change.schedule = 9;
  change.concert_date = *ParseDate(date);
  change.seats = seats;
  change.held_at = kNow;
  return {id, change};
}

class RedisBoards : public testing::Test {
 protected:
  RedisBoards() { RestartNode(); }
  void RestartNode() {
    store_.reset();
    store_.emplace(client_, history_, random_, RankingStoreOptions{.zone = kSeoul, .now = kNow});
  }
  template <class Fact>
  void Record(const Fact& fact) {
    history_.Add(fact);
    ASSERT_TRUE(RunTask(store_->Apply({{++last_event_, fact}})).ok());
  }
  std::vector<std::int64_t> All() {
    std::vector<std::int64_t> ids;
    const auto page = RunTask(store_->Concerts({{BoardId::kConcertsAll, {}}, 1, 1000}));
    for (const auto& entry : page.value().entries) ids.push_back(entry.concert);
    return ids;
  }

  test::RedisServer server_;
  Client client_{ParseAddress(server_.Url()).value()};
  SeededRandom random_{7};
  test::RememberedHistory history_;
  std::optional<RankingStore> store_;
  std::uint64_t last_event_ = 0;
};

using Ids = std::vector<std::int64_t>;

TEST_F(RedisBoards, KeepTheDocumentedRedisKeys) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}, 5));
  Record(Concert(7, Millis{120'500}));
  Record(Schedule(71, Millis{90'999}));
  ASSERT_TRUE(RunTask(store_->Apply({Progress(100, "2036-05-01", 3), Progress(101, "2036-05-02", 4)})).ok());
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:all 0 -1 WITHSCORES"), "7\n120500\n42\n300000\n");
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:daily:20360302 0 -1"), "7\n42\n");
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:weekly:2036-W09 0 -1"), "7\n42\n");
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:monthly:203603 0 -1"), "7\n42\n");
  EXPECT_EQ(server_.Cli("ZSCORE concertSoldOutRank 42"),
            CompositeScore(KeyOf(Concert(42, Seconds{300}, 5))) + "\n");
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:203603 0 -1 WITHSCORES"), "schedule:71\n90\n");
  EXPECT_EQ(server_.Cli("ZREVRANGE ranking:soldout 0 -1 WITHSCORES"), "2036-05-02\n4\n2036-05-01\n3\n");
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout:2036-03-02 2036-05-01"), "3\n");
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout:schedule 9"), "7\n");
}

TEST_F(RedisBoards, LossIsDetectedAfterTheChangeCountCaughtUp) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  store_->Tick(kNow);
  Record(Concert(1, Seconds{300}));
  server_.Cli("SAVE");
  Record(Concert(2, Seconds{200}));
  server_.Restart();
  // Another concert is ranked before the next check of the state.
  history_.Add(Concert(3, Seconds{100}));
  ASSERT_TRUE(
      test::Await([&] { return RunTask(store_->Apply({{++last_event_, Concert(3, Seconds{100})}})).ok(); }));
  const auto ranked = [&] { return server_.Cli("ZRANGE concert:soldout:ranking:all 0 -1"); };
  auto now = kNow;
  test::Await([&] {
    store_->Tick(now += Seconds{2});
    return ranked() == "3\n2\n1\n";
  });
  EXPECT_EQ(ranked(), "3\n2\n1\n");
}

// No tick runs after the restart, so the read script itself must detect the new run id.
TEST_F(RedisBoards, ReadsAfterARestartComeFromTheDatabase) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(1, Seconds{300}));
  server_.Cli("SAVE");
  Record(Concert(2, Seconds{200}));
  ASSERT_TRUE(RunTask(store_->Apply({Progress(100, "2036-05-01", 3)})).ok());
  history_.reserved().seats.push_back(std::get<ProgressChanged>(Progress(100, "2036-05-01", 3).fact));
  server_.Restart();
  ASSERT_TRUE(test::Await([&] { return RunTask(client_.Call(Command{"PING"})).ok(); }));
  const auto progress = [&] {
    return RunTask(store_->ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2036-05-01"))).ok();
  };
  ASSERT_EQ(server_.Cli("HGET ranking:state complete"), "1\n") << "the stale state says complete";
  EXPECT_EQ(All(), (Ids{2, 1}));
  EXPECT_EQ(RunTask(store_->RanksOf(1)).value()->all, 2);
  EXPECT_TRUE(RunTask(store_->SoldOutAt(2))->has_value());
  EXPECT_TRUE(progress());
  // Control: with the new run id in ranking:state, the read returns the stale boards.
  const auto info = server_.Cli("INFO server");
  const auto at = info.find("run_id:") + 7;
  server_.Cli("HSET ranking:state server " + info.substr(at, 40));
  EXPECT_EQ(All(), (Ids{1}));
  EXPECT_EQ(RunTask(store_->RanksOf(1)).value()->all, 1);
  EXPECT_FALSE(progress());
}

TEST_F(RedisBoards, AWindowExpiresWhenItsRetentionEnds) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}));
  const auto expires = [&](const std::string& key) { return std::stoll(server_.Cli("PEXPIRETIME " + key)); };
  EXPECT_EQ(expires("concert:soldout:ranking:daily:20360302"),
            ToMillis(*ParseTime("2036-03-10T00:00:00+09:00")));
  EXPECT_EQ(expires("concert:soldout:ranking:weekly:2036-W09"),
            ToMillis(*ParseTime("2036-04-02T00:00:00+09:00")));
  EXPECT_EQ(expires("concert:soldout:ranking:monthly:203603"),
            ToMillis(*ParseTime("2037-04-01T00:00:00+09:00")));
  EXPECT_EQ(expires("concert:soldout:ranking:all"), -1);
}

TEST_F(RedisBoards, OrderIsExactWhereScoresAreEqual) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  // Both sold out ten years after their opening, a second apart: their composite scores are the same double.
  const auto years = std::chrono::days{3652};
  auto later = Concert(1, years);
  later.booking_open_at += Seconds{0};
  auto earlier = Concert(2, years);
  earlier.booking_open_at -= Seconds{1};
  earlier.sold_out_at -= Seconds{1};
  Record(later);
  Record(earlier);
  EXPECT_EQ(server_.Cli("ZSCORE concertSoldOutRank 1"), server_.Cli("ZSCORE concertSoldOutRank 2"));
  const auto top = RunTask(store_->Concerts({{BoardId::kComposite, {}}, 1, 10}));
  ASSERT_EQ(top->entries.size(), 2U);
  EXPECT_EQ(top->entries[0].concert, 2) << "it opened earlier";
}

TEST_F(RedisBoards, IncompleteBoardsAreReadFromTheDatabase) {
  history_.Add(Concert(42, Seconds{300}));
  history_.Add(Concert(7, Seconds{20}));
  EXPECT_EQ(All(), (Ids{7, 42}));
  EXPECT_EQ(server_.Cli("EXISTS concert:soldout:ranking:all"), "0\n");
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  EXPECT_EQ(server_.Cli("ZCARD concert:soldout:ranking:all"), "2\n");
  EXPECT_EQ(All(), (Ids{7, 42}));
}

TEST_F(RedisBoards, OutageReadsFromTheDatabaseAndRebuildsAfterwards) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}));
  history_.reserved().seats.push_back(std::get<ProgressChanged>(Progress(1, "2036-05-01", 3).fact));
  server_.Kill();
  history_.Add(Concert(7, Seconds{20}));
  EXPECT_EQ(All(), (Ids{7, 42}));
  EXPECT_EQ(RunTask(store_->RanksOf(42)).value()->all, 2);
  EXPECT_EQ(*RunTask(store_->SoldOutAt(7)), kNow);
  EXPECT_EQ(RunTask(store_->ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2036-05-01")))->reserved, 3);
  server_.Start();  // empty
  auto now = kNow;
  ASSERT_TRUE(test::Await([&] {
    store_->Tick(now += Seconds{1});
    return server_.Cli("HGET ranking:state complete") == "1\n";
  }));
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:all 0 -1"), "7\n42\n");
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout 2036-05-01"), "3\n");
  EXPECT_EQ(All(), (Ids{7, 42}));
}

TEST_F(RedisBoards, ReconcileRanksMissingRowsAndRepairsWrongScores) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (ConcertId id = 1; id <= 5; ++id) Record(Concert(id, Seconds{id}));
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
  server_.Cli("ZREM concert:soldout:ranking:all 3");
  server_.Cli("ZINCRBY concert:soldout:ranking:weekly:2036-W09 7 4");
  server_.Cli("ZINCRBY concertSoldOutRank 1000000000000 5");
  const auto report = RunTask(store_->Reconcile());
  EXPECT_EQ(report->checked, 5);
  EXPECT_EQ(report->drift, 3);
  EXPECT_EQ(store_->drift(), 3U);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
  EXPECT_EQ(server_.Cli("ZSCORE concert:soldout:ranking:weekly:2036-W09 4"), "4000\n");
  EXPECT_EQ(server_.Cli("ZSCORE concertSoldOutRank 5"), CompositeScore(KeyOf(Concert(5, Seconds{5}))) + "\n");
  EXPECT_EQ(All(), (Ids{1, 2, 3, 4, 5}));
}

const BoardWindow kWeekOfDates{BoardId::kSchedulesWeekly, WindowOf(WindowKind::kWeekly, kNow, kSeoul)};

std::vector<std::int64_t> DatesOn(RankingStore& store, const BoardWindow& board) {
  std::vector<std::int64_t> ids;
  const auto page = RunTask(store.Schedules({board, 1, 1000}));
  for (const auto& entry : page.value().entries) ids.push_back(entry.schedule);
  return ids;
}

TEST_F(RedisBoards, WeekOfDatesTakesNoMemoryUntilItIsRead) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Schedule(71, Seconds{90}));
  Record(Schedule(72, Seconds{80}));
  const auto rows = [&] { return server_.Cli("ZRANGE ranking:soldout-time:2036-W09 0 -1 WITHSCORES"); };
  EXPECT_EQ(rows(), "\n");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0) << "a board that is not built lacks nothing";
  EXPECT_EQ(rows(), "\n");
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{72, 71})) << "the first read, from the database";
  EXPECT_EQ(rows(), "schedule:72\n80\nschedule:71\n90\n");
  EXPECT_NE(server_.Cli("PTTL ranking:soldout-time:2036-W09"), "-1\n");
  EXPECT_EQ(server_.Cli("KEYS staged:*"), "\n");
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{72, 71})) << "the second read, from Redis";
  Record(Schedule(73, Seconds{85}));
  EXPECT_EQ(rows(), "schedule:72\n80\nschedule:73\n85\nschedule:71\n90\n");
  server_.Cli("ZREM ranking:soldout-time:2036-W09 schedule:72");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1);
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{72, 73, 71}));
}

TEST_F(RedisBoards, RankInAWeekOfDatesIsTrueBeforeAndAfterTheBoardIsBuilt) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Schedule(71, Seconds{90}));
  Record(Schedule(72, Seconds{80}));
  const auto weekly = [&](ScheduleId id) {
    return RunTask(store_->RanksOfSchedules({id})).value().front().value().weekly;
  };
  EXPECT_EQ(weekly(71), 2);
  EXPECT_EQ(server_.Cli("ZCARD ranking:soldout-time:2036-W09"), "2\n");
  EXPECT_EQ(weekly(71), 2);
  EXPECT_EQ(weekly(72), 1);
}

// Another program adds a row to a board that is not built. The first read must still build the board from the
// database.
TEST_F(RedisBoards, ForeignMemberDoesNotMakeAWeekOfDatesBuilt) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Schedule(71, Seconds{90}));
  server_.Cli("ZADD ranking:soldout-time:2036-W09 1 schedule:999");
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{71}));
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:2036-W09 0 -1"), "schedule:71\n");
}

// The row is ranked after the builder has read the database: without the check of `changes` the board would
// lack it.
TEST_F(RedisBoards, RowRankedWhileAWeekOfDatesIsBuiltIsNotMissing) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Schedule(71, Seconds{90}));
  history_.AfterSchedulesIn([this] { Record(Schedule(72, Seconds{80})); });
  DatesOn(*store_, kWeekOfDates);
  EXPECT_EQ(server_.Cli("ZCARD ranking:soldout-time:2036-W09"), "0\n") << "the build is given up";
  EXPECT_EQ(server_.Cli("KEYS staged:*"), "\n");
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{72, 71}));
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:2036-W09 0 -1"), "schedule:72\nschedule:71\n");
}

TEST_F(RedisBoards, ControlBuildThatDoesNotSeeTheChangeLacksTheRow) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Schedule(71, Seconds{90}));
  history_.AfterSchedulesIn([this] {
    const auto before = server_.Cli("HGET ranking:state changes");
    Record(Schedule(72, Seconds{80}));
    server_.Cli("HSET ranking:state changes " + before.substr(0, before.find('\n')));
  });
  DatesOn(*store_, kWeekOfDates);
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:2036-W09 0 -1"), "schedule:71\n");
}

TEST_F(RedisBoards, WeekOfDatesWithoutARowIsBuiltAndFollowsTheFirstRow) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), Ids{});
  Record(Schedule(71, Seconds{90}));
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:2036-W09 0 -1"), "schedule:71\n");
  EXPECT_EQ(DatesOn(*store_, kWeekOfDates), (Ids{71}));
}

// Members that the database does not have, for every kind of sold-out board.
constexpr std::pair<const char*, const char*> kForeign[] = {
    {"concertSoldOutRank", "999"},
    {"concert:soldout:ranking:all", "999"},
    {"concert:soldout:ranking:daily:20360302", "999"},
    {"concert:soldout:ranking:weekly:2036-W09", "999"},
    {"concert:soldout:ranking:monthly:203603", "999"},
    {"concert:soldout:ranking:monthly:203601", "999"},  // a month without a sell-out
    {"concert:soldout:ranking:all", "no-number"},
    {"ranking:soldout-time:203603", "schedule:999"},
    {"ranking:soldout-time:2036-W09", "schedule:999"},
    {"ranking:soldout-time:20360302", "schedule:999"},
    {"ranking:soldout-time:203603", "71"},  // the prefix "schedule:" is missing
};

TEST_F(RedisBoards, ReconcileRemovesMembersThatTheDatabaseDoesNotHave) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}));
  Record(Schedule(71, Seconds{90}));
  for (const auto& [board, member] : kForeign)
    server_.Cli("ZADD " + std::string(board) + " 1 " + std::string(member));
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, static_cast<std::int64_t>(std::size(kForeign)));
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
  for (const auto& [board, member] : kForeign)
    EXPECT_EQ(server_.Cli("ZSCORE " + std::string(board) + " " + member), "\n") << board << " " << member;
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:all 0 -1"), "42\n");
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:203603 0 -1"), "schedule:71\n");
}

TEST_F(RedisBoards, RowThatAForeignMemberDisplacedFromTheCappedBoardReturns) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (ConcertId id = 1; id <= 101; ++id) Record(Concert(id, Seconds{id}));
  server_.Cli("ZADD concertSoldOutRank 1 999");
  Record(Concert(102, Seconds{102}));  // the write trims the board
  ASSERT_EQ(server_.Cli("ZSCORE concertSoldOutRank 100"), "\n");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 2);
  EXPECT_EQ(server_.Cli("ZCARD concertSoldOutRank"), "100\n");
  EXPECT_EQ(server_.Cli("ZRANK concertSoldOutRank 100"), "99\n");
}

TEST_F(RedisBoards, RowDeletedFromTheDatabaseLeavesEveryBoard) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (ConcertId id = 1; id <= 3; ++id) Record(Concert(id, Seconds{id}));
  EXPECT_EQ(RunTask(store_->RanksOf(3)).value()->all, 3);
  history_.EraseConcert(2);
  RestartNode();
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  EXPECT_EQ(All(), (Ids{1, 3})) << "a vanished row is skipped before it is removed";
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 5) << "once on each of its boards";
  EXPECT_EQ(server_.Cli("ZRANGE concertSoldOutRank 0 -1"), "1\n3\n");
  EXPECT_EQ(RunTask(store_->RanksOf(3)).value()->all, 2);
  EXPECT_FALSE(RunTask(store_->RanksOf(2)).value());
}

TEST_F(RedisBoards, DetailChangedInTheDatabaseIsCountedAndShown) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  auto concert = Concert(1, Seconds{1});
  Record(concert);
  const auto title = [&] {
    return RunTask(store_->Concerts({{BoardId::kConcertsAll, {}}, 1, 1}))->entries[0].title;
  };
  ASSERT_EQ(title(), "Concert 1");
  concert.title = "A corrected title";
  history_.Replace(concert);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1);
  EXPECT_EQ(title(), "A corrected title");
}

TEST_F(RedisBoards, RebuildRemovesForeignMembersAndRepairsWrongScores) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(1, Seconds{1}));
  Record(Schedule(71, Seconds{90}));
  for (const auto& [board, member] : kForeign)
    server_.Cli("ZADD " + std::string(board) + " 1 " + std::string(member));
  server_.Cli("ZINCRBY concert:soldout:ranking:all 5 1");
  ASSERT_TRUE(RunTask(store_->Rebuild()).ok());
  EXPECT_EQ(All(), (Ids{1}));
  EXPECT_EQ(server_.Cli("ZRANGE concertSoldOutRank 0 -1"), "1\n");
  EXPECT_EQ(server_.Cli("ZRANGE concert:soldout:ranking:all 0 -1 WITHSCORES"), "1\n1000\n");
  EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout-time:203603 0 -1"), "schedule:71\n");
}

TEST_F(RedisBoards, ForeignProgressIsCountedAndRepaired) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  const auto counted = [&](std::uint64_t id, const char* date, std::int64_t seats) {
    const auto event = Progress(id, date, seats);
    ASSERT_TRUE(RunTask(store_->Apply({event})).ok());
    history_.reserved().seats.push_back(std::get<ProgressChanged>(event.fact));
  };
  counted(1, "2036-05-01", 3);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
  const auto read = [&] {
    const auto found = RunTask(store_->ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2036-05-01")));
    return found.ok() ? found->reserved : 0;
  };
  ASSERT_EQ(read(), 3) << "now the board has an exact set";
  for (const auto* write :
       {"ZINCRBY ranking:soldout 5 2036-05-01", "ZREM ranking:soldout 2036-05-01",
        "ZADD ranking:soldout 9 2036-12-31", "ZADD ranking:soldout:schedule 9 77",
        "ZADD ranking:soldout:2036-03-02 9 2036-12-31", "HSET ranking:schedule-dates 9 2036-06-06",
        "ZADD exact:ranking:soldout 0 '90071992547409902036-12-31|2036-12-31'"}) {
    server_.Cli(write);
    EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1) << write;
    EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0) << write;
    EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout 0 -1 WITHSCORES"), "2036-05-01\n3\n") << write;
    EXPECT_EQ(server_.Cli("ZRANGE ranking:soldout:schedule 0 -1 WITHSCORES"), "9\n3\n") << write;
    EXPECT_EQ(server_.Cli("HGET ranking:schedule-dates 9"), "2036-05-01\n") << write;
    EXPECT_EQ(read(), 3) << write;
  }
}

TEST_F(RedisBoards, SoldOutRowThatIsNotOnTheBoardsYetHasItsTrueRank) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (ConcertId id = 1; id <= 3; ++id) Record(Concert(id * 10, Seconds{id * 10}));
  history_.Add(Concert(15, Seconds{15}));
  history_.Add(Schedule(7, Seconds{15}));
  for (const bool redis : {true, false}) {
    // Without Redis, reads use boards that this node cached from the database a moment ago; they lack the new
    // row, too.
    if (!redis) {
      server_.Kill();
      EXPECT_EQ(All(), (Ids{10, 15, 20, 30}));
      history_.Add(Concert(16, Seconds{16}));
    }
    const auto ranks = RunTask(store_->RanksOf(redis ? 15 : 16));
    ASSERT_TRUE(ranks.ok() && *ranks);
    const auto expected = redis ? 2 : 3;
    EXPECT_EQ((*ranks)->daily, expected);
    EXPECT_EQ((*ranks)->weekly, expected);
    EXPECT_EQ((*ranks)->monthly, expected);
    EXPECT_EQ((*ranks)->all, expected);
    const auto schedules = RunTask(store_->RanksOfSchedules({7, 8}));
    ASSERT_TRUE(schedules.ok() && (*schedules)[0]);
    EXPECT_EQ((*schedules)[0]->monthly, 1);
    EXPECT_FALSE((*schedules)[1]);
  }
}

TEST_F(RedisBoards, ReadsCostTheDatabaseNothingOnceRowsAreCached) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (ConcertId id = 1; id <= 20; ++id) Record(Concert(id, Seconds{id / 2}));  // pairs of equal durations
  All();
  const auto reads = history_.reads_by_id();
  for (int i = 0; i < 10; ++i) {
    All();
    EXPECT_TRUE(RunTask(store_->RanksOf(7)).ok());
    EXPECT_TRUE(RunTask(store_->ConcertRank({{BoardId::kConcertsAll, {}}, 7, 3})).ok());
  }
  EXPECT_EQ(history_.reads_by_id(), reads);
}

TEST_F(RedisBoards, RedisHoldsNoRowBesidesTheDocumentedBoards) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}));
  Record(Schedule(71, Seconds{90}));
  ASSERT_TRUE(RunTask(store_->Apply({Progress(100, "2036-05-01", 3)})).ok());
  All();
  EXPECT_EQ(server_.Cli("KEYS exact:*"), "\n");
  EXPECT_EQ(server_.Cli("EXISTS ranking:concerts ranking:schedules"), "0\n");
  // A read creates the exact set of a progress board, with an expiry.
  ASSERT_TRUE(RunTask(store_->ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2036-05-01"))).ok());
  EXPECT_EQ(server_.Cli("KEYS exact:*"), "exact:ranking:soldout\n");
  EXPECT_GT(std::stoll(server_.Cli("PTTL exact:ranking:soldout")), 0);
}

TEST_F(RedisBoards, KeysOfAnEarlierVersionAreRemoved) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  Record(Concert(42, Seconds{300}));
  server_.Cli("HSET ranking:concerts 42 details");
  server_.Cli("HSET ranking:schedules 71 details");
  server_.Cli("ZADD exact:concert:soldout:ranking:all 0 order");
  server_.Cli("ZADD exact:concert:soldout:ranking:daily:20360302 0 order");
  RestartNode();
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  EXPECT_EQ(server_.Cli("KEYS exact:*"), "\n");
  EXPECT_EQ(server_.Cli("EXISTS ranking:concerts ranking:schedules"), "0\n");
  EXPECT_EQ(All(), (Ids{42}));
}

TEST_F(RedisBoards, RebuildDoesNotCountPendingEventsTwice) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  ASSERT_TRUE(RunTask(store_->Apply({Progress(1, "2036-05-01", 2)})).ok());
  // The database's counts include event 2, which the relay has not delivered yet.
  auto& reserved = history_.reserved();
  reserved.seats = {std::get<ProgressChanged>(Progress(0, "2036-05-01", 5).fact)};
  reserved.pending = {2};
  ASSERT_TRUE(RunTask(store_->Rebuild()).ok());
  ASSERT_TRUE(RunTask(store_->Apply({Progress(1, "2036-05-01", 2), Progress(2, "2036-05-01", 3)})).ok());
  ASSERT_TRUE(RunTask(store_->Apply({Progress(3, "2036-05-01", 1)})).ok());
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout 2036-05-01"), "6\n");
}

TEST_F(RedisBoards, ProgressIsRefusedWhileAnotherNodeRebuilds) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  server_.Cli("SET ranking:fence another PX 60000");
  EXPECT_EQ(RunTask(store_->Apply({Progress(1, "2036-05-01", 2)})).error(), Refusal::kUnavailable);
  server_.Cli("DEL ranking:fence");
  EXPECT_TRUE(RunTask(store_->Apply({Progress(1, "2036-05-01", 2)})).ok());
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout 2036-05-01"), "2\n");
}

TEST_F(RedisBoards, RebuildWhoseFenceExpiredKeepsTheFenceOfAnotherNode) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  // While this node reads the database, its fence expires and another node takes the fence.
  history_.BeforeReserved([&] { server_.Cli("SET ranking:fence another PX 60000"); });
  EXPECT_EQ(RunTask(store_->Rebuild()).error(), Refusal::kUnavailable);
  EXPECT_EQ(server_.Cli("GET ranking:fence"), "another\n");
}

TEST_F(RedisBoards, RebuildWhoseBuilderLeaseExpiredKeepsTheLeaseOfAnotherNode) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  server_.Cli("FLUSHALL");
  history_.BeforeReserved([&] { server_.Cli("SET ranking:builder another PX 60000"); });
  store_->Tick(kNow);
  ASSERT_TRUE(test::Await([&] { return server_.Cli("HGET ranking:state complete") == "1\n"; }));
  store_.reset();  // waits for the end of the check
  EXPECT_EQ(server_.Cli("GET ranking:builder"), "another\n");
}

TEST_F(RedisBoards, SellOutMovementReachesEveryNode) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  std::atomic<ConcertId> heard{0};
  Client other_client{ParseAddress(server_.Url()).value()};
  SeededRandom other_random{8};
  RankingStore other(other_client, history_, other_random, RankingStoreOptions{.zone = kSeoul, .now = kNow});
  other.OnMovement(
      [&](const RankingMovement& movement) { heard = std::get<RankedConcert>(movement.entry).concert; });
  test::AwaitCli(server_.port(), "PUBSUB NUMSUB ranking:movements", "1");
  Record(Concert(42, Seconds{300}));
  test::Await([&] { return heard != 0; });
  EXPECT_EQ(heard, 42);
}

// The relay dies a hundred times after the boards applied events and before the outbox removed them.
TEST_F(RedisBoards, RedeliveredSellOutsAreRankedOnce) {
  ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  for (int death = 0; death < 100; ++death) {
    const auto id = death + 1;
    const std::vector<BookingEvent> outbox{
        {static_cast<std::uint64_t>(3 * id), Concert(id, Seconds{id})},
        {static_cast<std::uint64_t>(3 * id + 1), Schedule(id, Seconds{id})},
        Progress(static_cast<std::uint64_t>(3 * id + 2), "2036-05-01", 1)};
    history_.Add(Concert(id, Seconds{id}));
    history_.Add(Schedule(id, Seconds{id}));
    // The relay dies between two events or after the last one; the next relay delivers all of them.
    std::vector<BookingEvent> delivered(outbox.begin(), outbox.begin() + death % 4);
    ASSERT_TRUE(RunTask(store_->Apply(std::move(delivered))).ok());
    RestartNode();
    ASSERT_TRUE(RunTask(store_->Apply(outbox)).ok());
  }
  EXPECT_EQ(server_.Cli("ZCARD concert:soldout:ranking:all"), "100\n");
  EXPECT_EQ(server_.Cli("ZCARD concertSoldOutRank"), "100\n");
  EXPECT_EQ(server_.Cli("ZCARD ranking:soldout-time:203603"), "100\n");
  EXPECT_EQ(server_.Cli("ZSCORE ranking:soldout 2036-05-01"), "100\n");
  const auto all = All();
  ASSERT_EQ(all.size(), 100U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i) + 1);
}

}  // namespace
}  // namespace maejin::redis
