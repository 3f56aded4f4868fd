#include "adapters/embedded/journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "adapters/embedded/database.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPut{"INSERT INTO notes (n, text) VALUES (?, ?)"};

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    std::filesystem::create_directories(folder_);
    auto connection = OpenDatabase(path());
    connection.Execute("CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT)");
    journal_.emplace(std::move(connection));
  }
  ~JournalTest() override {
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ / "test.db"; }
  std::int64_t RowsOnDisk() const {
    Connection reader(path(), Connection::Mode::kReadOnly);
    auto count = reader.Prepare("SELECT count(*) FROM notes");
    count.Step();
    return count.Int(0);
  }
  static WriteSet Note(std::int64_t n) { return WriteSet{}.Add(kPut).Int(n).Text("note"); }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("maejin-journal-" + std::to_string(getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<Journal> journal_;
};

TEST_F(JournalTest, AnAnswerWaitsForItsRowsToBeOnDisk) {
  const auto ticket = journal_->Append(Note(1));
  EXPECT_TRUE(RunTask(journal_->Committed(ticket)).ok());
  EXPECT_TRUE(journal_->IsCommitted(ticket));
  EXPECT_EQ(RowsOnDisk(), 1);
}

TEST_F(JournalTest, ManyRequestsShareOneCommit) {
  boost::asio::io_context context{1};
  int released = 0;
  Ticket last = 0;
  for (int n = 0; n < 1000; ++n) {
    last = journal_->Append(Note(n));
    const auto wait = [](Journal& journal, Ticket ticket, int& count) -> Task<void> {
      const auto done = co_await journal.Committed(ticket);
      EXPECT_TRUE(done.ok());
      ++count;
    };
    boost::asio::co_spawn(context.get_executor(), wait(*journal_, last, released), boost::asio::detached);
  }
  context.run();
  EXPECT_EQ(released, 1000);
  EXPECT_LT(last, 1000U);
  EXPECT_EQ(RowsOnDisk(), 1000);
}

// The duration of a disk write is unknown, so the test checks only the minimum: a kBatched row is not written
// before kGathered has passed.
TEST_F(JournalTest, RowsThatMayWaitGatherForAMoment) {
  constexpr std::chrono::milliseconds kGathered{3};
  for (std::int64_t n = 0; n < 20; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ticket = journal_->Append(Note(n), {}, Journal::WriteTiming::kBatched);
    ASSERT_TRUE(RunTask(journal_->Committed(ticket)).ok());
    ASSERT_GE(std::chrono::steady_clock::now() - begin, kGathered);
  }
  EXPECT_EQ(RowsOnDisk(), 20);
}

TEST_F(JournalTest, EventsReachTheListenerBeforeTheAnswerLeaves) {
  std::atomic<int> seen = 0;
  journal_->Listen([&](std::span<const BookingEvent> events) { seen += static_cast<int>(events.size()); });
  const BookingEvent event{1, ProgressChanged{}};
  const auto ticket = journal_->Append(Note(1), std::span{&event, 1});
  EXPECT_TRUE(RunTask(journal_->Committed(ticket)).ok());
  EXPECT_EQ(seen, 1);
}

TEST_F(JournalTest, BetweenCommitsTheListenerHasHeardOfAllThatIsOnDisk) {
  std::atomic<std::int64_t> heard = 0;
  journal_->Listen([&](std::span<const BookingEvent> events) { heard += static_cast<int>(events.size()); });
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::int64_t n = 0; !done; ++n) {
      const BookingEvent event{static_cast<std::uint64_t>(n + 1), ProgressChanged{}};
      journal_->Append(Note(n), std::span{&event, 1});
      if (n % 20 == 0) journal_->Flush();
    }
  });
  for (int look = 0; look < 50; ++look) {
    std::int64_t on_disk = -1;
    std::int64_t at_that_moment = -2;
    EXPECT_TRUE(journal_->BetweenCommits([&] {
      on_disk = RowsOnDisk();
      at_that_moment = heard;
    }));
    EXPECT_EQ(on_disk, at_that_moment);
  }
  done = true;
  writer.join();
  EXPECT_THROW(journal_->BetweenCommits([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST_F(JournalTest, ADiskThatRefusesMakesAnswersUnknownAndHeals) {
  // Another connection holds the write lock longer than the journal waits, so SQLite returns SQLITE_BUSY.
  Connection other(path());
  other.Execute("BEGIN IMMEDIATE");
  const auto ticket = journal_->Append(Note(1));
  EXPECT_EQ(RunTask(journal_->Committed(ticket)).error(), Refusal::kUnavailable);
  EXPECT_FALSE(journal_->Accepting());
  EXPECT_TRUE(journal_->BetweenCommits([&] { EXPECT_EQ(RowsOnDisk(), 0); }));
  other.Execute("COMMIT");
  journal_->Flush();
  EXPECT_TRUE(journal_->Accepting());
  EXPECT_EQ(RowsOnDisk(), 1);
}

}  // namespace
}  // namespace maejin::embedded
