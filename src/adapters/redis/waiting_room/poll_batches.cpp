#include "adapters/redis/waiting_room/poll_batches.h"

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
// Who comes so soon after a batch is not alone.
constexpr std::chrono::milliseconds kBusy{50};
// Anybody may name a room that does not exist: of more than these, where nobody waits is forgotten.
constexpr std::size_t kLines = 1000;

}  // namespace

Task<void> PollBatches::Send(SignOfLife* sign, Time now) {
  return asio::async_initiate<const Await, void()>(
      [this, sign, now](Waiting waiting) { Enlist(sign, now, std::move(waiting)); }, Await());
}

void PollBatches::Enlist(SignOfLife* sign, Time now, Waiting waiting) {
  const auto executor = waiting.get_executor();
  Line* line = nullptr;
  Instant at;
  {
    const std::lock_guard lock(mutex_);
    auto& lines = threads_[&executor.context()];
    line = &lines[sign->place.room];
    auto& next = line->next;
    next.now = std::max(next.now, now);
    next.signs.push_back(sign);
    next.waiting.push_back(std::move(waiting));
    if (next.signs.size() > 1) return;
    if (lines.size() > kLines) {
      std::erase_if(lines, [](const auto& entry) { return entry.second.next.signs.empty(); });
    }
    at = std::chrono::steady_clock::now();
    if (at < line->left_at + kBusy) at += gather_;
  }
  asio::co_spawn(executor, Flush(line, sign->place.room, at), asio::detached);
}

std::size_t PollBatches::lines() {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [context, lines] : threads_) count += lines.size();
  return count;
}

// The line stays while somebody waits in it.
Task<void> PollBatches::Flush(Line* line, RoomId room, Instant at) {
  if (std::chrono::steady_clock::now() < at) {
    const auto executor = co_await asio::this_coro::executor;
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               Executor>
        timer(executor, at);
    std::ignore = co_await timer.async_wait(kAwait);
  }
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    std::swap(batch, line->next);
    line->left_at = std::chrono::steady_clock::now();
  }
  for (std::size_t from = 0; from < batch.signs.size(); from += kMost) {
    const auto count = std::min(kMost, batch.signs.size() - from);
    const auto first = batch.signs.begin() + static_cast<std::ptrdiff_t>(from);
    SignsOfLife some(first, first + static_cast<std::ptrdiff_t>(count));
    co_await ask_(room, std::move(some), batch.now);
    for (std::size_t i = from; i < from + count; ++i) std::move(batch.waiting[i])();
  }
}

}  // namespace maejin::redis
