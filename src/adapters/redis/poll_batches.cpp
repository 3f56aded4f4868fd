#include "adapters/redis/poll_batches.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace maejin::redis {

namespace asio = boost::asio;

namespace {

// Few enough that Redis does not keep others waiting for long.
constexpr std::size_t kMost = 500;

}  // namespace

template <class Handler>
struct PollBatches::WaitingOf final : Waiting {
  explicit WaitingOf(Handler&& taken) : handler(std::move(taken)) {}
  void Complete(PollResult result) override { std::move(handler)(std::move(result)); }
  Handler handler;
};

Task<PollResult> PollBatches::Poll(PlaceRef place, Time now) {
  const auto executor = co_await asio::this_coro::executor;
  auto* const context = &executor.context();
  const asio::use_awaitable_t<Executor> token;
  auto initiate = [this, context, now](auto handler, PlaceRef taken) {
    Enlist(*context, std::move(taken), now,
           std::make_unique<WaitingOf<decltype(handler)>>(std::move(handler)));
  };
  auto result = co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void(PollResult)>(
      std::move(initiate), token, std::move(place));
  co_return result;
}

void PollBatches::Enlist(asio::io_context& context, PlaceRef place, Time now,
                         std::unique_ptr<Waiting> waiting) {
  const auto room = place.room;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    auto& batch = threads_[&context][room];
    first = batch.places.empty();
    batch.places.push_back(std::move(place));
    batch.waiting.push_back(std::move(waiting));
    batch.now = std::max(batch.now, now);
  }
  if (first) asio::co_spawn(context.get_executor(), Flush(&context, room), asio::detached);
}

Task<void> PollBatches::Flush(asio::io_context* context, RoomId room) {
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    auto& batches = threads_[context];
    std::swap(batch, batches[room]);
  }
  for (std::size_t at = 0; at < batch.places.size(); at += kMost) {
    const auto count = std::min(kMost, batch.places.size() - at);
    const auto first = std::make_move_iterator(batch.places.begin() + static_cast<std::ptrdiff_t>(at));
    std::vector<PlaceRef> some(first, first + static_cast<std::ptrdiff_t>(count));
    auto results = co_await ask_(room, std::move(some), batch.now);
    results.resize(count);
    for (std::size_t i = 0; i < count; ++i) batch.waiting[at + i]->Complete(std::move(results[i]));
  }
}

}  // namespace maejin::redis
