#include "adapters/redis/waiting_room/batches.h"

#include <algorithm>
#include <tuple>

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"

namespace maejin::redis {

namespace asio = boost::asio;

namespace {

// The maximum number of requests per script, so that other scripts wait briefly.
constexpr std::size_t kMost = 500;
// A request waits for others if the room's previous batch was sent less than this long ago.
constexpr std::chrono::milliseconds kBusy{50};
// Beyond this number of rooms, those without a waiting request are evicted: requests may name rooms that do
// not exist.
constexpr std::size_t kMostRooms = 1000;

}  // namespace

Task<void> Batches::Send(FanRequest* request, Time now) {
  return asio::async_initiate<const Await, void()>(
      [this, request, now](Waiting waiting) { Add(request, now, std::move(waiting)); }, Await());
}

void Batches::Add(FanRequest* request, Time now, Waiting waiting) {
  const auto executor = waiting.get_executor();
  RoomBatches* batches = nullptr;
  std::shared_ptr<Batch> batch;
  Instant until;
  {
    const std::lock_guard lock(mutex_);
    batches = &rooms_[request->place.room];
    batch = batches->next.lock();
    const bool is_first = batch == nullptr;
    if (is_first) batches->next = batch = std::make_shared<Batch>();
    batch->now = std::max(batch->now, now);
    batch->requests.push_back(request);
    batch->waiting.push_back(std::move(waiting));
    if (!is_first) {
      if (batch->requests.size() == batches->usual) EndWait(batch);
      return;
    }
    if (rooms_.size() > kMostRooms) {
      std::erase_if(rooms_, [](const auto& entry) { return entry.second.next.expired(); });
    }
    until = SteadyClock::now();
    if (until < batches->sent_at + kBusy) until += window_;
  }
  asio::co_spawn(executor, RunNext(batches, std::move(batch), request->place.room, until), asio::detached);
}

// Lets Gather() look at the batch now.
void Batches::EndWait(const std::shared_ptr<Batch>& batch) {
  asio::post(batch->waiting.front().get_executor(), [gathering = std::weak_ptr(batch)] {
    const auto found = gathering.lock();
    if (found && found->timer) found->timer->cancel();
  });
}

std::size_t Batches::rooms() {
  const std::lock_guard lock(mutex_);
  return rooms_.size();
}

// Returns when the batch is to be sent.
Task<void> Batches::Gather(RoomBatches* batches, Batch* batch, Instant until) {
  const auto executor = co_await asio::this_coro::executor;
  SteadyTimer timer(executor);
  batch->timer = &timer;
  std::size_t known = 0;
  for (auto now = SteadyClock::now(); now < until; now = SteadyClock::now()) {
    {
      const std::lock_guard lock(mutex_);
      const auto size = batch->requests.size();
      const bool is_usual = size >= batches->usual;
      if (is_usual && size == known) break;
      known = size;
      timer.expires_at(is_usual ? std::min(until, now + quiet_) : until);
    }
    std::ignore = co_await timer.async_wait(kAwait);
  }
  batch->timer = nullptr;
}

// `batches` is not evicted while its `next` is this batch.
Task<void> Batches::RunNext(RoomBatches* batches, std::shared_ptr<Batch> batch, RoomId room, Instant until) {
  co_await Gather(batches, batch.get(), until);
  {
    const std::lock_guard lock(mutex_);
    batches->next.reset();
    batches->sent_at = SteadyClock::now();
    batches->usual = std::max(batch->requests.size(), batches->usual * 7 / 8);
  }
  // The parts of a large batch are sent in their order and do not wait for each other. A part runs on the
  // thread of its first request, which runs at least until that request is answered.
  for (std::size_t from = 0; from < batch->requests.size(); from += kMost) {
    auto part = PartOf(*batch, from);
    const auto executor = part.waiting.front().get_executor();
    asio::co_spawn(executor, RunBatch(room, std::move(part)), asio::detached);
  }
}

// Takes the requests from index `from` on, at most as many as one script may handle.
Batches::Batch Batches::PartOf(Batch& batch, std::size_t from) {
  const auto end = std::min(from + kMost, batch.requests.size());
  Batch part;
  part.now = batch.now;
  for (auto i = from; i < end; ++i) {
    part.requests.push_back(batch.requests[i]);
    part.waiting.push_back(std::move(batch.waiting[i]));
  }
  return part;
}

Task<void> Batches::RunBatch(RoomId room, Batch batch) {
  co_await run_(std::move(room), std::move(batch.requests), batch.now);
  ResumeAll(std::move(batch.waiting));
}

// Each thread gets one message for all its coroutines: waking a thread costs more than resuming a coroutine.
void Batches::ResumeAll(std::vector<Waiting> waiting) {
  std::unordered_map<asio::io_context*, std::vector<Waiting>> threads;
  for (auto& each : waiting) threads[&each.get_executor().context()].push_back(std::move(each));
  for (auto& thread : threads) {
    asio::dispatch(*thread.first, [here = std::move(thread.second)]() mutable {
      for (auto& each : here) std::move(each)();
    });
  }
}

}  // namespace maejin::redis
