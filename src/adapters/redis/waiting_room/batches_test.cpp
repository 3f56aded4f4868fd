#include "adapters/redis/waiting_room/batches.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "base/run_task.h"

namespace maejin::redis {
namespace {

// Answers every request with its position in the batch, and remembers the sizes of the batches.
class CountingRoom {
 public:
  // The batching window is so long that a busy machine does not split a batch.
  explicit CountingRoom(Millis window = Millis{300}, Millis quiet = Millis{300})
      : window_(window), quiet_(quiet) {}
  Batches& batches() { return batches_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }
  // Whether a batch had requests of several users.
  bool has_mixed() const { return has_mixed_; }

 private:
  Task<void> Answer(FanRequests requests) {
    const std::lock_guard lock(mutex_);
    sizes_.push_back(requests.size());
    const auto is_other = [&](const FanRequest* request) {
      return request->place.user != requests.front()->place.user;
    };
    if (std::any_of(requests.begin(), requests.end(), is_other)) has_mixed_ = true;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      PlaceAnswer answer;
      answer.standing.number = static_cast<PlaceNumber>(i + 1);
      requests[i]->answer = answer;
    }
    co_return;
  }

  std::mutex mutex_;
  std::vector<std::size_t> sizes_;  // guarded by mutex_
  std::atomic<bool> has_mixed_{false};
  const Millis window_;
  const Millis quiet_;
  Batches batches_{[this](RoomId, FanRequests requests, Time) { return Answer(std::move(requests)); },
                   window_, quiet_};
};

Task<void> Send(Batches& batches, RoomId room, PlaceNumber* answered, UserId user) {
  FanRequest request{.place = {std::move(room), std::move(user)}};
  const Time now{};
  co_await batches.Send(&request, now);
  *answered = request.answer->standing.number;
}

TEST(Batches, LoneRequestIsSentAtOnceAndLaterOnesShareBatches) {
  CountingRoom room;
  std::vector<PlaceNumber> answers(1200);
  std::vector<Task<void>> tasks;
  for (auto& answer : answers) tasks.push_back(Send(room.batches(), "42", &answer, "fan"));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.sizes(), (std::vector<std::size_t>{1, 500, 500, 199}));
  EXPECT_EQ(answers[0], 1U);
  for (std::size_t i = 1; i < answers.size(); ++i) EXPECT_EQ(answers[i], (i - 1) % 500 + 1);
}

// Sends requests together, and returns how long they took.
std::chrono::steady_clock::duration SendMany(CountingRoom& room, std::size_t many) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<PlaceNumber> answers(many);
  std::vector<Task<void>> tasks;
  for (auto& answer : answers) tasks.push_back(Send(room.batches(), "42", &answer, "fan"));
  RunTasks(std::move(tasks));
  return std::chrono::steady_clock::now() - begin;
}

TEST(Batches, BatchOfTheUsualSizeDoesNotWaitForTheEndOfTheWindow) {
  constexpr Millis kWindow{20'000};
  CountingRoom room(kWindow, Millis{1});
  for (const std::size_t many : {10U, 10U, 40U, 40U}) EXPECT_LT(SendMany(room, many), kWindow);
}

TEST(Batches, BatchBelowTheUsualSizeWaitsForMoreRequests) {
  constexpr Millis kWindow{100};
  bool has_waited = false;
  // On a busy machine, the next request may come so late that it is sent at once. Then both are sent again.
  for (int attempt = 0; attempt < 100 && !has_waited; ++attempt) {
    CountingRoom room(kWindow, Millis{1});
    SendMany(room, 40);
    has_waited = SendMany(room, 1) >= kWindow;
  }
  EXPECT_TRUE(has_waited);
}

TEST(Batches, RequestsOfOtherRoomsAreBatchedApart) {
  CountingRoom room;
  PlaceNumber answers[6] = {};
  std::vector<Task<void>> tasks;
  const char* rooms[] = {"42", "43", "42", "42", "43", "42"};
  for (std::size_t i = 0; i < 6; ++i) tasks.push_back(Send(room.batches(), rooms[i], &answers[i], "fan"));
  RunTasks(std::move(tasks));
  EXPECT_EQ(room.sizes(), (std::vector<std::size_t>{1, 1, 3, 1}));
  EXPECT_EQ(answers[5], 3U);
}

TEST(Batches, RequestsOfTwoThreadsShareABatchAndResumeOnTheirOwnThreads) {
  CountingRoom room;
  std::atomic<int> resumed_elsewhere{0};
  const auto send_ten = [&](const char* user) {
    const auto send = [&]() -> Task<void> {
      const auto here = std::this_thread::get_id();
      PlaceNumber answer = 0;
      co_await Send(room.batches(), "42", &answer, user);
      if (std::this_thread::get_id() != here || answer == 0) ++resumed_elsewhere;
    };
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(send());
    RunTasks(std::move(tasks));
  };
  // A thread that is delayed for longer than the batching window misses the batch. Then both threads try
  // again.
  for (int attempt = 0; attempt < 100 && !room.has_mixed(); ++attempt) {
    std::thread other([&] { send_ten("ann"); });
    send_ten("bob");
    other.join();
  }
  EXPECT_TRUE(room.has_mixed());
  EXPECT_EQ(resumed_elsewhere, 0);
}

TEST(Batches, IdleRoomsAreForgotten) {
  CountingRoom room;
  PlaceNumber answer = 0;
  std::size_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<Task<void>> tasks;
    tasks.push_back(Send(room.batches(), std::to_string(i), &answer, "fan"));
    RunTasks(std::move(tasks));
    most = std::max(most, room.batches().rooms());
  }
  EXPECT_LE(most, 1001U);
  EXPECT_GE(most, 1000U) << "few rooms are remembered";
}

}  // namespace
}  // namespace maejin::redis
