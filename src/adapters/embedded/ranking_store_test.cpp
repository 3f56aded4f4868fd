// Tests that only the embedded store needs: drift after a change of the file, progress from the reservations,
// and reads during writes.
#include "adapters/embedded/ranking_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/sold_out_rows.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

const Time kNoon = *ParseTime("2026-01-02T12:00:00Z");

constexpr auto kOneConcert =
    "INSERT INTO concerts (id, title, artist, venue, price, hold_seconds, room, max_seats_per_user, "
    "max_seats_per_date, cooldown_seconds, created_at) VALUES (1, '제목', '가수', '장소', 1, 300, 'own', 0, "
    "0, "
    "0, 0)";

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
    store_.emplace(*journal_, EmbeddedRankingStore::Options{path(), *TimeZone::Find("Asia/Seoul"), kNoon});
  }
  void Sell(ConcertId id, Millis duration) {
    const ConcertSoldOut sold_out{.concert = id,
                                  .title = "제목",
                                  .artist = "가수",
                                  .venue = "홀",
                                  .dates = 1,
                                  .seats = 1,
                                  .booking_open_at = kNoon - Seconds{9000},
                                  .sold_out_at = kNoon - Seconds{9000} + duration};
    WriteSet rows;
    AddSoldOutRow(rows, sold_out);
    journal_->Append(rows);
    journal_->Flush();
    const BookingEvent event{static_cast<std::uint64_t>(id), sold_out};
    store_->Applied(std::span{&event, 1});
  }
  // Changes the file as another program would.
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
  Meddle(kOneConcert);
  Meddle(
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
  const BookingEvent unrelated{1, ProgressChanged{2, *ParseDate("2026-03-02"), 0, kNoon}};
  store_->Applied(std::span{&unrelated, 1});
  EXPECT_GT(RunTask(store_->Reconcile())->drift, 0);
  EXPECT_EQ(Reserved("2026-03-01"), 2);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

// Seats are reserved and returned while a comparison runs. As in the booking store, a row and its event share
// a commit, and the journal delivers the event.
class ReservationsTest : public RankingStoreTest {
 protected:
  ReservationsTest() {
    Meddle(kOneConcert);
    Meddle(
        "INSERT INTO schedules (id, concert_id, concert_date, created_at) VALUES "
        "(1, 1, '2026-03-01', 0), (2, 1, '2026-03-02', 0)");
    journal_->Listen([this](std::span<const BookingEvent> events) { store_->Applied(events); });
  }
  void Hold(std::int64_t number) {
    static constexpr Sql kHold{
        "INSERT INTO reservations (number, id, concert_id, schedule_id, user_id, seats, amount, status, "
        "held_at, "
        "expires_at) VALUES (?, ?, 1, 1, 'u', '[1,2]', 1, 'HELD', ?, 0)"};
    WriteSet rows;
    rows.Add(kHold).Int(number).Text(std::to_string(number)).Int(ToMillis(kNoon));
    Append(rows, 2);
  }
  void Return(std::int64_t number) {
    static constexpr Sql kReturn{"UPDATE reservations SET status = 'EXPIRED' WHERE number = ?"};
    WriteSet rows;
    rows.Add(kReturn).Int(number);
    Append(rows, -2);
  }
  // Applies a change of seats that no reservation has.
  void Phantom(std::int64_t seats) {
    const BookingEvent event{next_event_++, ProgressChanged{2, *ParseDate("2026-03-02"), seats, kNoon}};
    store_->Applied(std::span{&event, 1});
  }

 private:
  void Append(const WriteSet& rows, std::int64_t seats) {
    const BookingEvent event{next_event_++, ProgressChanged{1, *ParseDate("2026-03-01"), seats, kNoon}};
    journal_->Append(rows, std::span{&event, 1});
  }
  std::atomic<std::uint64_t> next_event_{1};
};

TEST_F(ReservationsTest, DriftOfProgressIsFoundCountedAndRepaired) {
  Hold(1);
  journal_->Flush();
  Phantom(3);
  EXPECT_EQ(Reserved("2026-03-02"), 3);
  // One difference on each of four boards: by date, by day, by week and by schedule.
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 4);
  EXPECT_EQ(Reserved("2026-03-01"), 2);
  EXPECT_EQ(Reserved("2026-03-02"), 0);
  EXPECT_EQ(store_->drift(), 4U);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

TEST_F(ReservationsTest, DriftOfProgressIsFoundWhileSeatsNeverStopChanging) {
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> held = 0;
  std::thread crowd([&] {
    while (!done) {
      Hold(++held);
      if (held % 3 == 0) Return(held - 1);
      if (held % 50 == 0) journal_->Flush();
    }
  });
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0) << "nothing was wrong, round " << round;
    Phantom(1 + round);
    EXPECT_EQ(RunTask(store_->Reconcile())->drift, 4) << "round " << round;
    EXPECT_EQ(Reserved("2026-03-02"), 0);
  }
  done = true;
  crowd.join();
  journal_->Flush();
  EXPECT_EQ(Reserved("2026-03-01"), 2 * (held - held / 3));
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

// Violations that no reader may see: a board out of order, or with a row twice.
int Flaws(std::vector<std::int64_t> durations) {
  int flaws = std::is_sorted(durations.begin(), durations.end()) ? 0 : 1;
  std::sort(durations.begin(), durations.end());
  flaws += std::adjacent_find(durations.begin(), durations.end()) != durations.end();
  return flaws;
}

// Reads all the time on two threads while `write` runs; returns the flaws that were seen.
template <class Read, class Write>
int FlawsSeen(Read read, Write write) {
  std::atomic<bool> done = false;
  std::atomic<int> flaws = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) flaws += Flaws(read());
    });
  }
  write([&] { return flaws.load() > 0; });
  done = true;
  for (auto& reader : readers) reader.join();
  return flaws;
}

// Control: a board without its lock; rows are moved one by one while readers read.
class CarelessBoard {
 public:
  void Insert(std::int64_t duration) {
    auto at = size_++;
    for (; at > 0 && rows_[at - 1] > duration; --at) {
      rows_[at] = rows_[at - 1].load();
      std::this_thread::yield();
    }
    rows_[at] = duration;
  }
  std::vector<std::int64_t> Read() const {
    return {rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(size_)};
  }

 private:
  std::array<std::atomic<std::int64_t>, 1000> rows_{};
  std::atomic<std::size_t> size_ = 0;
};

std::int64_t DurationOf(ConcertId id) { return (id * 7919) % 5003; }

TEST(RankingStoreControl, ABoardWithoutALockIsSeenInPieces) {
  int flaws = 0;
  for (int attempt = 0; attempt < 100 && flaws == 0; ++attempt) {
    CarelessBoard board;
    flaws = FlawsSeen([&] { return board.Read(); },
                      [&](const auto& seen) {
                        for (ConcertId id = 1; id <= 999 && !seen(); ++id) board.Insert(DurationOf(id));
                      });
  }
  EXPECT_GT(flaws, 0);
}

TEST_F(RankingStoreTest, ReadersSeeWholeBoardsWhileItIsWrittenAndRebuilt) {
  const auto read = [&] {
    std::vector<std::int64_t> durations;
    const auto page = RunTask(store_->Concerts({{BoardId::kConcertsAll, {}}, 1, 1000}));
    for (const auto& entry : page->entries)
      durations.push_back((entry.sold_out_at - entry.booking_open_at).count());
    EXPECT_EQ(page->total, static_cast<std::int64_t>(page->entries.size()));
    return durations;
  };
  const auto write = [&](const auto&) {
    for (ConcertId id = 1; id <= 300; ++id) {
      Sell(id, Millis{DurationOf(id)});
      if (id % 60 == 0) {
        EXPECT_TRUE(RunTask(store_->Rebuild()).ok());
      }
      ASSERT_TRUE(RunTask(store_->ConcertRank({{BoardId::kConcertsAll, {}}, id, 0})).ok());
    }
  };
  EXPECT_EQ(FlawsSeen(read, write), 0);
  EXPECT_EQ(RunTask(store_->Reconcile())->drift, 0);
}

}  // namespace
}  // namespace maejin::embedded
