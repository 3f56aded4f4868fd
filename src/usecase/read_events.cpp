#include "usecase/read_events.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"

namespace maejin {
namespace {

// The interval at which a waiting reader checks for new events: one read of a number in memory.
constexpr auto kLookEvery = std::chrono::milliseconds{50};

}  // namespace

Task<Outcome<EventPage>> ReadEvents::operator()(EventQuery query, Millis wait) const {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                    boost::asio::wait_traits<std::chrono::steady_clock>, Executor>
      timer(co_await boost::asio::this_coro::executor);
  while (true) {
    auto page = co_await feed_.Read(query);
    if (!page || !page->events.empty()) co_return page;
    // The events that were looked at are of other types.
    query.after = page->next;
    while (feed_.NewestAtOnce() <= query.after) {
      if (draining_() || std::chrono::steady_clock::now() >= deadline) co_return page;
      timer.expires_after(kLookEvery);
      co_await timer.async_wait(kAwait);
    }
  }
}

}  // namespace maejin
