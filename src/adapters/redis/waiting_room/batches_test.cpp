#include "adapters/redis/waiting_room/batches.h"

#include <gtest/gtest.h>

#include "base/run_task.h"

namespace maejin::redis {
namespace {

// Answers every request with its position in the batch, and remembers the sizes of the batches.
class CountingRoom {
 public:
  Batches& batches() { return batches_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  Task<void> Answer(FanRequests requests) {
    sizes_.push_back(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      PlaceAnswer answer;
      answer.standing.number = static_cast<PlaceNumber>(i + 1);
      requests[i]->answer = answer;
    }
    co_return;
  }

  std::vector<std::size_t> sizes_;
  // Long enough that a busy machine does not split a batch.
  Batches batches_{[this](RoomId, FanRequests requests, Time) { return Answer(std::move(requests)); },
                   Millis{300}};
};

Task<void> Send(Batches& batches, RoomId room, PlaceNumber* answered) {
  FanRequest request{.place = {std::move(room), "fan"}};
  const Time now{};
  co_await batches.Send(&request, now);
  *answered = request.answer->standing.number;
}

TEST(Batches, LoneRequestIsSentAtOnceAndLaterOnesShareBatches) {
  CountingRoom room;
  std::vector<PlaceNumber> answers(1200);
  std::vector<Task<void>> tasks;
  for (auto& answer : answers) tasks.push_back(Send(room.batches(), "42", &answer));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.sizes(), (std::vector<std::size_t>{1, 500, 500, 199}));
  EXPECT_EQ(answers[0], 1U);
  for (std::size_t i = 1; i < answers.size(); ++i) EXPECT_EQ(answers[i], (i - 1) % 500 + 1);
}

TEST(Batches, RequestsOfOtherRoomsAreBatchedApart) {
  CountingRoom room;
  PlaceNumber answers[6] = {};
  std::vector<Task<void>> tasks;
  const char* rooms[] = {"42", "43", "42", "42", "43", "42"};
  for (std::size_t i = 0; i < 6; ++i) tasks.push_back(Send(room.batches(), rooms[i], &answers[i]));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.sizes(), (std::vector<std::size_t>{1, 1, 3, 1}));
  EXPECT_EQ(answers[5], 3U);
}

TEST(Batches, IdleRoomsAreForgotten) {
  CountingRoom room;
  PlaceNumber answer = 0;
  std::size_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<Task<void>> tasks;
    tasks.push_back(Send(room.batches(), std::to_string(i), &answer));
    RunTasks(std::move(tasks));
    most = std::max(most, room.batches().rooms());
  }
  EXPECT_LE(most, 1001U);
  EXPECT_GE(most, 1000U) << "few rooms are remembered";
}

}  // namespace
}  // namespace maejin::redis
