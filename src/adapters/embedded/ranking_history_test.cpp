#include "adapters/embedded/ranking_history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

constexpr Sql kReserve{
    "INSERT INTO ranking_settings (name, value) VALUES ('test', 1) ON CONFLICT (name) DO NOTHING"};

BookingEvent Progress(std::uint64_t id) {
  ProgressChanged one_seat;
  one_seat.seats = 1;
  return {id, one_seat};
}

class RankingHistoryTest : public testing::Test {
 protected:
  RankingHistoryTest() {
    std::filesystem::create_directories(folder_);
    journal_.emplace(OpenDatabase(path_));
  }
  ~RankingHistoryTest() override {
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-history-" + std::to_string(getpid()));
  const std::string path_ = (folder_ / "maejin.db").string();
  std::optional<Journal> journal_;
};

TEST_F(RankingHistoryTest, EventsThatAreNotTakenYetArePending) {
  std::latch refused(1);
  EventRelay relay([&](std::vector<BookingEvent>) {
    if (!refused.try_wait()) refused.count_down();
    return false;
  });
  journal_->Listen([&](std::span<const BookingEvent> events) { relay.Deliver(events); });
  EmbeddedRankingHistory history(*journal_, {path_, [&] { return relay.backlog(); }});
  const std::vector events{Progress(4), Progress(9)};
  journal_->Append(WriteSet{}.Add(kReserve), events);
  refused.wait();
  EXPECT_EQ(RunTask(history.Reserved())->pending, (std::vector<std::uint64_t>{4, 9}));
}

TEST_F(RankingHistoryTest, WhileEventsKeepComingThereIsNoMomentToRead) {
  std::uint64_t delivered = 0;
  EmbeddedRankingHistory history(*journal_, {path_, [&] { return EventRelay::Backlog{++delivered, {}}; }});
  EXPECT_EQ(RunTask(history.Reserved()).error(), Refusal::kUnavailable);
}

TEST(EventRelayTest, EveryEventIsAppliedInOrderThoughTheFirstAttemptFails) {
  std::vector<std::uint64_t> taken;
  int attempts = 0;
  std::latch all(5);
  {
    EventRelay relay([&](std::vector<BookingEvent> events) {
      if (++attempts == 1) return false;
      for (const auto& event : events) {
        taken.push_back(event.id);
        all.count_down();
      }
      return true;
    });
    const std::vector first{Progress(1), Progress(2)};
    const std::vector second{Progress(3), Progress(4), Progress(5)};
    relay.Deliver(first);
    relay.Deliver(second);
    all.wait();
  }
  EXPECT_EQ(taken, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(EventRelayTest, TheBoardsCatchUpBeforeTheFirstEvent) {
  std::vector<std::string> done;
  std::latch taken(1);
  {
    EventRelay relay(
        [&](std::vector<BookingEvent>) {
          done.push_back("event");
          taken.count_down();
          return true;
        },
        [&] {
          done.push_back("catch up");
          return done.size() == 2;
        });
    relay.Deliver(std::vector{Progress(1)});
    taken.wait();
  }
  EXPECT_EQ(done, (std::vector<std::string>{"catch up", "catch up", "event"}));
}

}  // namespace
}  // namespace maejin::embedded
