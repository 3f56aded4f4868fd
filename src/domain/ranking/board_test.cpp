#include "domain/ranking/board.h"

#include <gtest/gtest.h>

#include <set>

namespace maejin {
namespace {

const TimeZone kBoardZone = *TimeZone::Find("Asia/Seoul");
const Date kDay = *ParseDate("2025-12-29");

std::string Key(BoardId id) { return KeyOf(BoardOf(id), WindowOf(BoardOf(id).window, kDay)); }

TEST(Board, KeysMatchTheRequirements) {
  EXPECT_EQ(Key(BoardId::kComposite), "concertSoldOutRank");
  EXPECT_EQ(Key(BoardId::kConcertsDaily), "concert:soldout:ranking:daily:20251229");
  EXPECT_EQ(Key(BoardId::kConcertsWeekly), "concert:soldout:ranking:weekly:2026-W01");
  EXPECT_EQ(Key(BoardId::kConcertsMonthly), "concert:soldout:ranking:monthly:202512");
  EXPECT_EQ(Key(BoardId::kConcertsAll), "concert:soldout:ranking:all");
  EXPECT_EQ(Key(BoardId::kSchedulesDaily), "ranking:soldout-time:20251229");
  EXPECT_EQ(Key(BoardId::kSchedulesWeekly), "ranking:soldout-time:2026-W01");
  EXPECT_EQ(Key(BoardId::kSchedulesMonthly), "ranking:soldout-time:202512");
  EXPECT_EQ(Key(BoardId::kProgressAll), "ranking:soldout");
  EXPECT_EQ(Key(BoardId::kProgressDaily), "ranking:soldout:2025-12-29");
  EXPECT_EQ(Key(BoardId::kProgressWeekly), "ranking:soldout:2026-W01");
  EXPECT_EQ(Key(BoardId::kProgressSchedules), "ranking:soldout:schedule");
}

TEST(Board, NoTwoBoardsShareAKey) {
  std::set<std::string> keys;
  for (const auto& board : Boards()) EXPECT_TRUE(keys.insert(Key(board.id)).second) << Key(board.id);
}

TEST(Board, RetentionCountsFromTheEndOfTheWindow) {
  const auto expiry = [](BoardId id) {
    const auto at = ExpiryOf(BoardOf(id), WindowOf(BoardOf(id).window, kDay), kBoardZone);
    return at ? FormatTime(*at) : "never";
  };
  EXPECT_EQ(expiry(BoardId::kConcertsDaily), "2026-01-05T15:00:00.000Z");
  EXPECT_EQ(expiry(BoardId::kConcertsWeekly), "2026-02-03T15:00:00.000Z");
  EXPECT_EQ(expiry(BoardId::kConcertsMonthly), "2026-12-31T15:00:00.000Z");
  EXPECT_EQ(expiry(BoardId::kConcertsAll), "never");
  EXPECT_EQ(expiry(BoardId::kSchedulesMonthly), "never");
}

}  // namespace
}  // namespace maejin
