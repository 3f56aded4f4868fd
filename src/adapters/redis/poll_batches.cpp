#include "adapters/redis/poll_batches.h"

#include <algorithm>
#include <tuple>

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/await.h"

namespace maejin::redis {

namespace asio = boost::asio;

namespace {

// Few enough that Redis does not keep others waiting for long.
constexpr std::size_t kMost = 500;
constexpr std::chrono::milliseconds kGather{5};
// Who comes so soon after a batch is not alone.
constexpr std::chrono::milliseconds kBusy{50};

}  // namespace

template <class Handler>
struct PollBatches::WaitingOf final : Waiting {
  explicit WaitingOf(Handler&& taken) : handler(std::move(taken)) {}
  void Complete(PollResult result) override { std::move(handler)(std::move(result)); }
  Handler handler;
};

Task<PollResult> PollBatches::Send(SignOfLife sign, Time now) {
  const auto executor = co_await asio::this_coro::executor;
  auto* const context = &executor.context();
  const asio::use_awaitable_t<Executor> token;
  auto initiate = [this, context, now](auto handler, SignOfLife taken) {
    Enlist(*context, std::move(taken), now,
           std::make_unique<WaitingOf<decltype(handler)>>(std::move(handler)));
  };
  auto result = co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void(PollResult)>(
      std::move(initiate), token, std::move(sign));
  co_return result;
}

void PollBatches::Enlist(asio::io_context& context, SignOfLife sign, Time now,
                         std::unique_ptr<Waiting> waiting) {
  const auto room = sign.place.room;
  bool first = false;
  Instant at;
  {
    const std::lock_guard lock(mutex_);
    auto& line = threads_[&context][room];
    first = line.next.signs.empty();
    line.next.signs.push_back(std::move(sign));
    line.next.waiting.push_back(std::move(waiting));
    line.next.now = std::max(line.next.now, now);
    if (first) {
      at = std::chrono::steady_clock::now();
      if (at < line.left_at + kBusy) at += kGather;
    }
  }
  if (first) asio::co_spawn(context.get_executor(), Flush(&context, room, at), asio::detached);
}

Task<void> PollBatches::Flush(asio::io_context* context, RoomId room, Instant at) {
  if (std::chrono::steady_clock::now() < at) {
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               Executor>
        timer(context->get_executor(), at);
    std::ignore = co_await timer.async_wait(kAwait);
  }
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    auto& line = threads_[context][room];
    std::swap(batch, line.next);
    line.left_at = std::chrono::steady_clock::now();
  }
  for (std::size_t from = 0; from < batch.signs.size(); from += kMost) {
    const auto count = std::min(kMost, batch.signs.size() - from);
    const auto first = std::make_move_iterator(batch.signs.begin() + static_cast<std::ptrdiff_t>(from));
    std::vector<SignOfLife> some(first, first + static_cast<std::ptrdiff_t>(count));
    auto results = co_await ask_(room, std::move(some), batch.now);
    results.resize(count);
    for (std::size_t i = 0; i < count; ++i) batch.waiting[from + i]->Complete(std::move(results[i]));
  }
}

}  // namespace maejin::redis
