#include "adapters/redis/waiting_room/poll_batches.h"

#include <gtest/gtest.h>

#include "base/run_task.h"

namespace maejin::redis {
namespace {

// Tells every fan its place in the batch, and remembers how many were asked for together.
class Room {
 public:
  PollBatches& batches() { return batches_; }
  const std::vector<std::size_t>& asked() const { return asked_; }

 private:
  Task<void> Ask(SignsOfLife signs) {
    asked_.push_back(signs.size());
    for (std::size_t i = 0; i < signs.size(); ++i) {
      PlaceAnswer answer;
      answer.standing.number = static_cast<PlaceNumber>(i + 1);
      signs[i]->answer = answer;
    }
    co_return;
  }

  std::vector<std::size_t> asked_;
  // Long enough that no busy machine tears a batch apart.
  PollBatches batches_{[this](RoomId, SignsOfLife signs, Time) { return Ask(std::move(signs)); },
                       Millis{300}};
};

Task<void> Poll(PollBatches& batches, RoomId room, PlaceNumber* told) {
  SignOfLife sign{.place = {std::move(room), "fan"}};
  const Time now{};
  co_await batches.Send(&sign, now);
  *told = sign.answer->standing.number;
}

TEST(PollBatches, ALoneFanLeavesAtOnceAndThoseWhoFollowTogetherEachToldItsOwn) {
  Room room;
  std::vector<PlaceNumber> told(1200);
  std::vector<Task<void>> tasks;
  for (auto& number : told) tasks.push_back(Poll(room.batches(), "42", &number));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.asked(), (std::vector<std::size_t>{1, 500, 500, 199}));
  EXPECT_EQ(told[0], 1U);
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_EQ(told[i], (i - 1) % 500 + 1);
}

TEST(PollBatches, FansOfOtherRoomsAreAskedForByThemselves) {
  Room room;
  PlaceNumber told[6] = {};
  std::vector<Task<void>> tasks;
  const char* rooms[] = {"42", "43", "42", "42", "43", "42"};
  for (std::size_t i = 0; i < 6; ++i) tasks.push_back(Poll(room.batches(), rooms[i], &told[i]));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.asked(), (std::vector<std::size_t>{1, 1, 3, 1}));
  EXPECT_EQ(told[5], 3U);
}

TEST(PollBatches, RoomsThatNobodyAsksForAnyMoreAreForgotten) {
  Room room;
  PlaceNumber told = 0;
  std::size_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<Task<void>> tasks;
    tasks.push_back(Poll(room.batches(), std::to_string(i), &told));
    RunTasks(std::move(tasks));
    most = std::max(most, room.batches().lines());
  }
  EXPECT_LE(most, 1001U);
  EXPECT_GE(most, 1000U) << "as long as they are few they are remembered";
}

}  // namespace
}  // namespace maejin::redis
