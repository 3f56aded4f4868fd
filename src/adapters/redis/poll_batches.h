// Polls that come together leave together: one script for many fans of a room. Those of one thread share a batch,
// which leaves after whatever else this turn of the thread's loop brings.
#pragma once

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
  enum class Kind : std::uint8_t {
    kTold,   // `answer` is what the fan is told
    kAlone,  // this fan is no plain waiter: ask for it alone
    kAway,   // Redis did not answer
  };
  Kind kind = Kind::kAway;
  PlaceAnswer answer = {};
};

// Thread-safe.
class PollBatches {
 public:
  // Asks for all of them at once; as many results, in the same order.
  using Ask =
      std::function<Task<std::vector<PollResult>>(RoomId room, std::vector<PlaceRef> places, Time now)>;

  explicit PollBatches(Ask ask) : ask_(std::move(ask)) {}

  Task<PollResult> Poll(PlaceRef place, Time now);

 private:
  struct Waiting {
    virtual ~Waiting() = default;
    // On the thread of the waiting coroutine.
    virtual void Complete(PollResult result) = 0;
  };
  template <class Handler>
  struct WaitingOf;
  struct Batch {
    std::vector<PlaceRef> places;
    std::vector<std::unique_ptr<Waiting>> waiting;
    Time now{};
  };
  using Batches = std::unordered_map<RoomId, Batch>;

  void Enlist(boost::asio::io_context& context, PlaceRef place, Time now, std::unique_ptr<Waiting> waiting);
  Task<void> Flush(boost::asio::io_context* context, RoomId room);

  Ask ask_;
  std::mutex mutex_;
  std::unordered_map<boost::asio::io_context*, Batches> threads_;  // guarded by mutex_
};

}  // namespace maejin::redis
