// Runs a function on another thread, e.g. a disk read, and resumes the task on its own thread afterwards.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace maejin {

// `post(std::function<void()>)` queues a function on the other thread. Rethrows what `work` throws.
template <class Post, class Work>
Task<std::invoke_result_t<Work>> RunElsewhere(Post post, Work work) {
  // Shared, because the task may be destroyed at the end of the program while `work` still runs.
  struct State {
    std::optional<std::invoke_result_t<Work>> result;
    std::exception_ptr failure;
  };
  const auto state = std::make_shared<State>();
  const auto start = [&](auto&& handler) {
    using Handler = std::decay_t<decltype(handler)>;
    const auto resume = std::make_shared<Handler>(std::forward<decltype(handler)>(handler));
    const boost::asio::executor_work_guard<Executor> alive(boost::asio::get_associated_executor(*resume));
    post([state, resume, alive, work]() mutable {
      try {
        state->result.emplace(work());
      } catch (...) {
        state->failure = std::current_exception();
      }
      boost::asio::post(alive.get_executor(), [resume] { std::move (*resume)(); });
    });
  };
  const boost::asio::use_awaitable_t<Executor> token;
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void()>(start, token);
  if (state->failure) std::rethrow_exception(state->failure);
  co_return std::move(*state->result);
}

}  // namespace maejin
