// Collects the requests of a room from all threads into batches, so that one script answers many fans. A lone
// request is sent at once. If requests follow each other closely, a batch is sent at the end of a batching
// window, or earlier when it has as many requests as usual and no more follow.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"
#include "base/timer.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

// The request of one fan, and its answer. Lives in the coroutine that waits for the answer.
struct FanRequest {
  enum class Verb : std::uint8_t { kPoll, kLook, kJoin, kEnter };
  PlaceRef place;
  Verb verb = Verb::kPoll;
  std::uint64_t address_prefix = 0;  // kJoin only; 0: not limited

  bool is_lost = false;      // Redis lost the place, which may be restored
  bool is_settling = false;  // after a loss: Redis may have data from before the place was used
  Outcome<PlaceAnswer> answer = Refusal::kUnavailable;

  bool IsUnavailable() const { return !answer.ok() && answer.error() == Refusal::kUnavailable; }
};
using FanRequests = std::vector<FanRequest*>;

inline void RefuseAll(const FanRequests& requests, const Refused& refused) {
  for (auto* request : requests) request->answer = refused;
}

// Thread-safe.
class Batches {
 public:
  // Answers all requests, which are of one room.
  using Run = std::function<Task<void>(RoomId room, FanRequests requests, Time now)>;

  // `window`: the batching window, from the first request of a batch. `quiet`: if no request has arrived for
  // this long, no more follow.
  explicit Batches(Run run, Millis window = Millis{5},
                   std::chrono::microseconds quiet = std::chrono::microseconds{500})
      : run_(std::move(run)), window_(window), quiet_(quiet) {}

  // Returns when `request` is answered, on the caller's thread. `request` outlives the call.
  Task<void> Send(FanRequest* request, Time now);
  // The number of rooms in memory.
  std::size_t rooms();

 private:
  using Await = boost::asio::use_awaitable_t<Executor>;
  // Resumes a coroutine that waits for its answer. It is called once, on the thread of that coroutine.
  using Waiting = boost::asio::async_result<Await, void()>::handler_type;
  using SteadyClock = std::chrono::steady_clock;
  using Instant = SteadyClock::time_point;
  struct Batch {
    FanRequests requests;
    std::vector<Waiting> waiting;
    Time now{};
    // Gather() waits with this timer. Only the thread of Gather() uses it. Null: Gather() does not wait.
    SteadyTimer* timer = nullptr;
  };
  struct RoomBatches {
    // The batch that gathers requests. The coroutine that will run the batch owns it. If the thread of that
    // coroutine ends, the batch ends too.
    std::weak_ptr<Batch> next;
    Instant sent_at{};      // when the last batch was sent
    std::size_t usual = 0;  // the size of the largest recent batch; falls slowly
  };

  void Add(FanRequest* request, Time now, Waiting waiting);
  static void EndWait(const std::shared_ptr<Batch>& batch);
  Task<void> Gather(RoomBatches* batches, Batch* batch, Instant until);
  Task<void> RunNext(RoomBatches* batches, std::shared_ptr<Batch> batch, RoomId room, Instant until);
  static Batch PartOf(Batch& batch, std::size_t from);
  Task<void> RunBatch(RoomId room, Batch batch);
  static void ResumeAll(std::vector<Waiting> waiting);

  const Run run_;
  const Millis window_;
  const std::chrono::microseconds quiet_;
  std::mutex mutex_;
  std::unordered_map<RoomId, RoomBatches> rooms_;  // guarded by mutex_
};

}  // namespace maejin::redis
