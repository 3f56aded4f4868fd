// What only the embedded store can show: drift that somebody made in the file, progress from the
// reservations, reads while it is written to.
#include "adapters/embedded/ranking_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/sold_out_rows.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

const Time kNow = *ParseTime("2026-01-02T12:00:00Z");

class RankingStoreTest : public testing::Test {
 protected:
  RankingStoreTest() {
    std::filesystem::create_directories(folder_);
    journal_.emplace(OpenDatabase(path()));
    Start();
  }
  ~RankingStoreTest() override {
    journal_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ / "maejin.db"; }
  void Start() {
    store_.emplace(*journal_, EmbeddedRankingStore::Options{path(), *TimeZone::Find("Asia/Seoul"), kNow});
  }
  void Sell(ConcertId id, Millis duration) {
    const ConcertSoldOut sold_out{.concert = id,
                                  .title = "제목",
                                  .artist = "가수",
                                  .venue = "홀",
                                  .dates = 1,
                                  .seats = 1,
                                  .booking_open_at = kNow - Seconds{9000},
                                  .sold_out_at = kNow - Seconds{9000} + duration};
    WriteSet rows;
    AddSoldOutRow(rows, sold_out);
    journal_->Append(rows);
    journal_->Flush();
    const BookingEvent event{static_cast<std::uint64_t>(id), sold_out};
    store_->Applied(std::span{&event, 1});
  }
  // Another hand in the file.
  void Meddle(const char* sql) { Connection(path()).Execute(sql); }
  std::string Board() {
    std::string text;
    const auto page = RunTask(store_->Concerts({{BoardId::kConcertsAll, {}}, 1, 1000}));
    for (const auto& entry : page->entries) text += std::to_string(entry.concert) + entry.title + " ";
    return text;
  }
  std::int64_t Reserved(const char* date) {
    const auto one = RunTask(store_->ProgressOf({BoardId::kProgressAll, {}}, *ParseDate(date)));
    return one ? one->reserved : 0;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("maejin-ranking-" + std::to_string(getpid()) +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<Journal> journal_;
  std::optional<EmbeddedRankingStore> store_;
};

TEST_F(RankingStoreTest, ARowThatIsMissingIsFoundCountedAndRanked) {
  Sell(1, Seconds{10});
  Meddle(
      "INSERT INTO sold_out_concerts SELECT 2, 'B', artist, venue, dates, seats, booking_open_at, "
      "sold_out_at - 1 "
      "FROM sold_out_concerts");
  EXPECT_EQ(Board(), "1제목 ");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1);
  EXPECT_EQ(Board(), "2B 1제목 ");
  EXPECT_EQ(store_->drift(), 1U);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

TEST_F(RankingStoreTest, ARowThatIsWrongOrTooManyIsPutRight) {
  Sell(1, Seconds{10});
  Sell(2, Seconds{20});
  Meddle("UPDATE sold_out_concerts SET title = 'A' WHERE concert_id = 1");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1);
  EXPECT_EQ(Board(), "1A 2제목 ");
  Meddle("DELETE FROM sold_out_concerts WHERE concert_id = 2");
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 1);
  EXPECT_EQ(Board(), "1A ");
}

TEST_F(RankingStoreTest, ProgressComesFromTheReservationsAfterARestart) {
  Meddle(
      "PRAGMA foreign_keys = OFF; "
      "INSERT INTO schedules (id, concert_id, concert_date, created_at) VALUES (1, 1, '2026-03-01', 0), "
      "(2, 1, '2026-03-02', 0);"
      "INSERT INTO reservations (number, id, concert_id, schedule_id, user_id, seats, amount, status, "
      "held_at, "
      "expires_at) VALUES (1, 'a', 1, 1, 'u', '[1,2]', 1, 'HELD', 1767355200000, 0), "
      "(2, 'b', 1, 1, 'u', '[3]', 1, 'CONFIRMED', 1767355200000, 0), (3, 'c', 1, 2, 'u', '[1]', 1, "
      "'EXPIRED', 0, 0), "
      "(4, 'd', 1, 2, 'u', '[1]', 1, 'PAYING', 1700000000000, 0)");
  store_.reset();
  Start();
  EXPECT_EQ(Reserved("2026-03-01"), 3);
  EXPECT_EQ(Reserved("2026-03-02"), 1);
  // A day long past is answered from the database.
  const BoardWindow old{BoardId::kProgressDaily, WindowOf(WindowKind::kDaily, *ParseDate("2023-11-15"))};
  const auto page = RunTask(store_->Progress({old, 1, 10}));
  ASSERT_EQ(page->entries.size(), 1U);
  EXPECT_EQ(FormatDate(page->entries[0].concert_date), "2026-03-02");

  Meddle("UPDATE reservations SET status = 'CANCELLED' WHERE number = 2");
  const BookingEvent unrelated{1, ProgressChanged{2, *ParseDate("2026-03-02"), 0, kNow}};
  store_->Applied(std::span{&unrelated, 1});
  EXPECT_GT(RunTask(store_->Reconcile())->drift, 0);
  EXPECT_EQ(Reserved("2026-03-01"), 2);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

TEST_F(RankingStoreTest, ReadersSeeWholeBoardsWhileItIsWrittenAndRebuilt) {
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const auto page = RunTask(store_->Concerts({{BoardId::kConcertsAll, {}}, 1, 1000}));
        Millis last{0};
        for (const auto& entry : page->entries) {
          const auto duration = entry.sold_out_at - entry.booking_open_at;
          wrong += duration < last;
          last = duration;
        }
        wrong += page->total != static_cast<std::int64_t>(page->entries.size());
      }
    });
  }
  for (ConcertId id = 1; id <= 300; ++id) {
    Sell(id, Millis{(id * 7919) % 5000});
    if (id % 60 == 0) {
      EXPECT_TRUE(RunTask(store_->Rebuild()).ok());
    }
    const auto rank = RunTask(store_->ConcertRank({{BoardId::kConcertsAll, {}}, id, 0}));
    ASSERT_TRUE(rank.ok());
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

}  // namespace
}  // namespace maejin::embedded
