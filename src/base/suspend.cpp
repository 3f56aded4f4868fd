#include "base/suspend.h"

#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace maejin {

Task<void> Suspend(std::function<void(Resume)> start) {
  const auto initiate = [&start](auto&& handler) {
    struct Suspended {
      std::decay_t<decltype(handler)> resumed;
      boost::asio::executor_work_guard<Executor> alive;
    };
    const auto alive = boost::asio::make_work_guard(boost::asio::get_associated_executor(handler));
    const auto task = std::make_shared<Suspended>(std::forward<decltype(handler)>(handler), alive);
    start([task] {
      // The event loop may end with the task, so only the posted function keeps it alive.
      const auto executor = task->alive.get_executor();
      boost::asio::post(executor, [last = std::move(*task)]() mutable { std::move(last.resumed)(); });
    });
  };
  const boost::asio::use_awaitable_t<Executor> token;
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void()>(initiate, token);
}

}  // namespace maejin
