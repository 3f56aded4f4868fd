#include "store/room_events.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

RoomPhase Phase(std::uint32_t epoch, std::int64_t count, RoomState state) {
  return {"7", epoch, count, state, TimeFromMillis(1'800'000'000'000)};
}

TEST(RoomEvents, FirstPhaseOfARoomIsNoEvent) {
  EXPECT_FALSE(IsPhaseEvent({}, Phase(1, 0, RoomState::kOpen)));
  EXPECT_TRUE(IsPhaseEvent({}, Phase(1, 1, RoomState::kOpen))) << "the first one was not saved";
}

TEST(RoomEvents, EachPhaseOfAnEpochIsAnEventWhateverTheOrderOfRecords) {
  EXPECT_TRUE(IsPhaseEvent(LoggedPhase{1, "open"}, Phase(1, 2, RoomState::kPaused)));
  EXPECT_TRUE(IsPhaseEvent(LoggedPhase{1, "paused"}, Phase(1, 2, RoomState::kPaused)));
}

TEST(RoomEvents, RoomThatContinuesAfterALossIsNoEvent) {
  EXPECT_FALSE(IsPhaseEvent(LoggedPhase{1, "open"}, Phase(2, 5, RoomState::kOpen)));
  EXPECT_TRUE(IsPhaseEvent(LoggedPhase{1, "open"}, Phase(2, 5, RoomState::kPaused))) << "its record was lost";
}

TEST(RoomEvents, PhasesBeforeTheOpeningHaveNoEvent) {
  std::vector<EventDraft> drafts;
  AppendRoomEvent(drafts, "7", RoomState::kScheduled, Time{});
  AppendRoomEvent(drafts, "7", RoomState::kPreQueue, Time{});
  EXPECT_TRUE(drafts.empty());
  AppendRoomEvent(drafts, "7", RoomState::kPaused, Time{});
  ASSERT_EQ(drafts.size(), 1U);
  EXPECT_EQ(drafts[0].type, "room.paused");
}

}  // namespace
}  // namespace maejin
