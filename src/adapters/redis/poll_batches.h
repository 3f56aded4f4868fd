// Fans who ask the same at one moment (to poll or join; to enter) are asked for together: one script for many fans of
// a room. Those of one thread share a batch. A lone one leaves at once; where many come, a batch leaves some
// milliseconds after its first, which a fan who asks once a second does not feel, and Redis does.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/task.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

struct PollResult {
  bool alone = false;  // this fan is no plain waiter: ask for it alone
  Outcome<PlaceAnswer> answer = Refusal::kUnavailable;
};

struct SignOfLife {
  PlaceRef place;
  enum class Join : std::uint8_t { kNo, kYes, kFromLimitedAddress };
  Join join = Join::kNo;
};

// Thread-safe.
class PollBatches {
 public:
  // Asks for all of them at once; as many results, in the same order.
  using Ask =
      std::function<Task<std::vector<PollResult>>(RoomId room, std::vector<SignOfLife> signs, Time now)>;

  explicit PollBatches(Ask ask) : ask_(std::move(ask)) {}

  Task<PollResult> Send(SignOfLife sign, Time now);

 private:
  struct Waiting {
    virtual ~Waiting() = default;
    // On the thread of the waiting coroutine.
    virtual void Complete(PollResult result) = 0;
  };
  template <class Handler>
  struct WaitingOf;
  struct Batch {
    std::vector<SignOfLife> signs;
    std::vector<std::unique_ptr<Waiting>> waiting;
    Time now{};
  };
  using Instant = std::chrono::steady_clock::time_point;
  struct Line {
    Batch next;
    Instant left_at{};  // the last batch
  };
  using Lines = std::unordered_map<RoomId, Line>;

  void Enlist(boost::asio::io_context& context, SignOfLife sign, Time now, std::unique_ptr<Waiting> waiting);
  Task<void> Flush(boost::asio::io_context* context, RoomId room, Instant at);

  Ask ask_;
  std::mutex mutex_;
  std::unordered_map<boost::asio::io_context*, Lines> threads_;  // guarded by mutex_
};

}  // namespace maejin::redis
