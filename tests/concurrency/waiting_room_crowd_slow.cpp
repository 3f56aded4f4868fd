// 20,000 fans over HTTP in a room with 800 slots join, poll, disappear, return, enter and leave.
// line_history.h checks their recorded histories: I3 (at most 800 inside), I4 (first come, first served), I10
// (a rank never rises).
#include <gtest/gtest.h>

#include "tests/concurrency/line_crowd.h"
#include "tests/program.h"
#include "tests/support/server_process.h"

namespace maejin::testing {
namespace {

TEST(WaitingRoomCrowd, TwentyThousandFansAreAdmittedInOrderWithinCapacity) {
  const ScratchFolder folder("crowd");
  const ServerProcess server(MAEJIN_BINARY, folder.path());
  const CrowdOptions options;
  OpenRoom(server.address(), KeyIn(folder.path() / "admin.key"), options);
  Crowd crowd({server.address()}, options);
  crowd.Run();
  ExpectNoViolations(crowd);
  ExpectAlteredHistoriesFail(crowd);
}

// Small histories with one violation each.
class LineHistory : public ::testing::Test {
 protected:
  LineHistory() {
    for (int i = 0; i < 4; ++i) {
      FanHistory fan;
      fan.number = i + 1;
      fan.join_sent = At(10 * i);
      fan.join_answered = At(10 * i + 5);
      fan.polls = {{At(50 + i), true, i}, {At(150 + 10 * i), false, 0}};
      fan.first_ready = At(151 + 10 * i);
      fan.entered = At(152 + 10 * i);
      fan.left = At(155 + 10 * i);
      fans_.push_back(fan);
    }
  }
  static Moment At(int ms) { return Moment{} + std::chrono::milliseconds{ms}; }

  std::vector<FanHistory> fans_;
};

TEST_F(LineHistory, CorrectHistoryHasNoViolations) {
  const auto verdict = CheckLine(fans_);
  EXPECT_EQ(verdict.join_order_violations + verdict.admission_order_violations + verdict.rank_increases, 0);
  EXPECT_EQ(verdict.most_inside, 1);
  EXPECT_EQ(verdict.fans_followed, 4);
  EXPECT_EQ(verdict.positions_compared, 8);
}

TEST_F(LineHistory, SwappedNumbersAreDetected) {
  std::swap(fans_[0].number, fans_[2].number);
  EXPECT_GT(CheckLine(fans_).join_order_violations, 0);
}

TEST_F(LineHistory, EarlyAdmissionIsDetected) {
  fans_[3].first_ready = At(45);
  EXPECT_EQ(CheckLine(fans_).admission_order_violations, 3);
}

TEST_F(LineHistory, AbsentFanMayBeOvertaken) {
  fans_[3].first_ready = At(45);
  for (auto& fan : fans_) fan.absent_from = At(40);
  EXPECT_EQ(CheckLine(fans_).admission_order_violations, 0);
  EXPECT_EQ(CheckLine(fans_).fans_followed, 0) << "an absent fan is not compared";
}

TEST_F(LineHistory, ReturningFanMayOvertakeOnlyFansBehindIt) {
  fans_[3].first_ready = At(45);
  fans_[1].returned = {At(48)};
  EXPECT_EQ(CheckLine(fans_).admission_order_violations, 2) << "the first fan and the returned fan";
}

TEST_F(LineHistory, RisingPositionIsDetected) {
  fans_[2].polls[1].rank = 3;
  EXPECT_EQ(CheckLine(fans_).rank_increases, 1);
}

TEST_F(LineHistory, DuplicateNumberIsDetected) {
  fans_[2].number = fans_[1].number;
  EXPECT_EQ(CheckLine(fans_).duplicate_numbers, 1);
}

}  // namespace
}  // namespace maejin::testing
