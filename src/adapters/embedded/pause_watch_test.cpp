#include "adapters/embedded/pause_watch.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace maejin::embedded {
namespace {

Time At(std::int64_t ms) { return TimeFromMillis(1'000'000 + ms); }

TEST(PauseWatchTest, AGapBeyondTheLimitIsAPauseAndAShorterOneIsNot) {
  PauseWatch watch(Millis{2000});
  for (const auto ms : {0, 100, 2100, 2200}) watch.Notice(At(ms));
  EXPECT_EQ(watch.total(), Millis{0});
  watch.Notice(At(9200));
  EXPECT_EQ(watch.total(), Millis{7000});
  EXPECT_EQ(watch.resumed(), At(9200));
}

TEST(PauseWatchTest, ACallerWithATimeFromBeforeThePauseDoesNotCountItTwice) {
  PauseWatch watch(Millis{2000});
  watch.Notice(At(0));
  watch.Notice(At(9000));
  watch.Notice(At(100));  // this caller read its clock before the pause
  watch.Notice(At(9100));
  EXPECT_EQ(watch.total(), Millis{9000});
}

TEST(PauseWatchTest, AGapIsCountedOnceHoweverManyThreadsSeeIt) {
  for (int round = 0; round < 200; ++round) {
    PauseWatch watch(Millis{2000});
    watch.Notice(At(0));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        watch.Notice(At(9000));
        // After Notice(), every thread sees the whole pause in total().
        if (watch.total() != Millis{9000}) ++wrong;
      });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(wrong, 0);
    ASSERT_EQ(watch.total(), Millis{9000});
  }
}

TEST(PauseWatchTest, WithoutALimitTimeMayJump) {
  PauseWatch watch(std::nullopt);
  watch.Notice(At(0));
  watch.Notice(At(3'600'000));
  EXPECT_EQ(watch.total(), Millis{0});
}

}  // namespace
}  // namespace maejin::embedded
