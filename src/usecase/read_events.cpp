#include "usecase/read_events.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"
#include "base/timer.h"

namespace maejin {
namespace {

// The interval at which a waiting reader checks for new events: one read of a number in memory.
constexpr auto kLookEvery = std::chrono::milliseconds{50};

}  // namespace

Task<Outcome<EventPage>> ReadEvents::operator()(EventQuery query, Millis wait) const {
  const auto begin = std::chrono::steady_clock::now();
  const auto deadline = begin + wait;
  const bool live = progress_ && wait > Millis{0} && RoomProgress::IsWanted(query.filter);
  RoomProgress::SentCounts sent;
  if (live) sent = progress_->Begin(RoomProgress::Beginning::kNothing);
  auto look_at = begin + RoomProgress::kEvery;
  SteadyTimer timer(co_await boost::asio::this_coro::executor);
  while (true) {
    auto page = co_await feed_.Read(query);
    if (!page || !page->events.empty()) co_return page;
    // All events up to `next` are of other types.
    query.after = page->next;
    while (feed_.NewestAtOnce() <= query.after) {
      const auto now = std::chrono::steady_clock::now();
      if (live && now >= look_at) {
        look_at = now + RoomProgress::kEvery;
        page->events = progress_->Changes(sent);
        if (page->events.size() > query.limit) page->events.resize(query.limit);
        if (!page->events.empty()) co_return page;
      }
      if (draining_() || now >= deadline) co_return page;
      timer.expires_after(kLookEvery);
      co_await timer.async_wait(kAwait);
    }
  }
}

}  // namespace maejin
