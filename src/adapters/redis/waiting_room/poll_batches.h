// Fans who ask the same at one moment (to poll or join; to enter) are asked for together: one script for many fans of
// a room. Those of one thread share a batch. A lone one leaves at once; where many come, a batch leaves some
// milliseconds after its first, which a fan who asks once a second does not feel, and Redis does.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

// What a fan asks, and what it is told. Lives in the coroutine that waits.
struct SignOfLife {
  PlaceRef place;
  enum class Join : std::uint8_t { kNo, kYes, kFromLimitedAddress };
  Join join = Join::kNo;

  bool alone = false;   // ask for this fan alone
  bool missed = false;  // alone, since the place that it names is not there
  Outcome<PlaceAnswer> answer = Refusal::kUnavailable;

  // Redis was asked, and did not answer.
  bool Unanswered() const { return !alone && !answer.ok() && answer.error() == Refusal::kUnavailable; }
};
using SignsOfLife = std::vector<SignOfLife*>;

inline void Refuse(const SignsOfLife& signs, const Refused& refused) {
  for (auto* sign : signs) {
    sign->alone = false;
    sign->answer = refused;
  }
}

// Thread-safe.
class PollBatches {
 public:
  // Asks for all of them at once, and tells each.
  using Ask = std::function<Task<void>(RoomId room, SignsOfLife signs, Time now)>;

  // `gather`: how long a batch waits for others where many come.
  explicit PollBatches(Ask ask, Millis gather = Millis{5}) : ask_(std::move(ask)), gather_(gather) {}

  // Returns when `sign` has been told, which lives as long.
  Task<void> Send(SignOfLife* sign, Time now);
  // Rooms that are kept in mind, those of every thread by themselves.
  std::size_t lines();

 private:
  using Await = boost::asio::use_awaitable_t<Executor>;
  // Called once, on the thread of the coroutine that waits.
  using Waiting = boost::asio::async_result<Await, void()>::handler_type;
  struct Batch {
    SignsOfLife signs;
    std::vector<Waiting> waiting;
    Time now{};
  };
  using Instant = std::chrono::steady_clock::time_point;
  struct Line {
    Batch next;
    Instant left_at{};  // the last batch
  };
  using Lines = std::unordered_map<RoomId, Line>;

  void Enlist(SignOfLife* sign, Time now, Waiting waiting);
  Task<void> Flush(Line* line, RoomId room, Instant at);

  const Ask ask_;
  const Millis gather_;
  std::mutex mutex_;
  std::unordered_map<boost::asio::io_context*, Lines> threads_;  // guarded by mutex_
};

}  // namespace maejin::redis
