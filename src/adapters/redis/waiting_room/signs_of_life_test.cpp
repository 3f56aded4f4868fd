#include "adapters/redis/waiting_room/signs_of_life.h"

#include <gtest/gtest.h>

namespace maejin::redis {
namespace {

constexpr Time kBegin = TimeFromMillis(1'794'736'800'000);
constexpr Millis kInterval{8000};

std::int64_t Value(Time seen, Millis interval) { return ToMillis(seen) * 1024 + interval.count() / 100; }

TEST(SignsOfLife, FirstSignIsWrittenAtOnceAndLaterOnesOncePerIntervalWithTheNewestTime) {
  SignsOfLife signs;
  signs.RecordPoll(7, "ann", kBegin, kInterval);
  auto batch = signs.Take(kBegin + Seconds{1});
  ASSERT_EQ(batch.signs.size(), 1U);
  EXPECT_EQ(batch.signs[0].number, 7U);
  EXPECT_EQ(batch.signs[0].value, Value(kBegin, kInterval));
  for (int second = 1; second < 8; ++second) {
    signs.RecordPoll(7, "ann", kBegin + Seconds{second}, kInterval);
    EXPECT_TRUE(signs.Take(kBegin + Seconds{second}).empty()) << second;
  }
  batch = signs.Take(kBegin + Seconds{8});
  ASSERT_EQ(batch.signs.size(), 1U);
  EXPECT_EQ(batch.signs[0].value, Value(kBegin + Seconds{7}, kInterval));
  EXPECT_TRUE(signs.Take(kBegin + Seconds{60}).empty());
}

TEST(SignsOfLife, LastPollIsWrittenLongBeforeTheFanIsAbsent) {
  SignsOfLife signs;
  signs.RecordWrittenPoll(7, kBegin, kInterval);
  const auto last = kBegin + Millis{500};
  signs.RecordPoll(7, "ann", last, kInterval);
  const auto batch = signs.Take(last + kInterval);
  ASSERT_EQ(batch.signs.size(), 1U);
  EXPECT_EQ(batch.signs[0].value, Value(last, kInterval));
}

TEST(SignsOfLife, FanWithAShorterIntervalIsCheckedSooner) {
  SignsOfLife signs;
  signs.RecordWrittenPoll(7, kBegin, kInterval);
  signs.RecordPoll(7, "ann", kBegin, kInterval);
  EXPECT_TRUE(signs.Take(kBegin).sooner.empty());
  signs.RecordPoll(7, "ann", kBegin + Seconds{1}, Millis{4000});
  signs.RecordPoll(9, "bob", kBegin + Millis{1900}, Millis{4000});
  signs.RecordPoll(11, "cat", kBegin + Seconds{2}, Millis{4000});
  const SignsOfLife::Sooner expected = {{kBegin + Seconds{13}, {"ann", "bob"}},
                                        {kBegin + Seconds{14}, {"cat"}}};
  EXPECT_EQ(signs.Take(kBegin + Seconds{2}).sooner, expected) << "in the seconds when they would be absent";
}

TEST(SignsOfLife, SignsThatCouldNotBeWrittenAreWrittenLater) {
  SignsOfLife signs;
  signs.RecordPoll(7, "ann", kBegin, kInterval);
  signs.Return(signs.Take(kBegin), kBegin + Seconds{1});
  const auto batch = signs.Take(kBegin + Seconds{1});
  ASSERT_EQ(batch.signs.size(), 1U);
  EXPECT_EQ(batch.signs[0].value, Value(kBegin, kInterval));
  EXPECT_EQ(batch.sooner.size(), 1U);
}

TEST(SignsOfLife, FansWithoutPollsAreForgottenUnlessTheirSignIsPending) {
  SignsOfLife signs;
  signs.RecordPoll(7, "ann", kBegin, kInterval);
  signs.Forget(kBegin + Seconds{600});
  EXPECT_EQ(signs.Take(kBegin).signs.size(), 1U);
  signs.Forget(kBegin + Seconds{600});
  signs.RecordPoll(7, "ann", kBegin + Seconds{601}, kInterval);
  EXPECT_EQ(signs.Take(kBegin + Seconds{601}).sooner.size(), 1U) << "as a fan seen for the first time";
}

}  // namespace
}  // namespace maejin::redis
