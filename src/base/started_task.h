// Starts a task and fetches its result later. The starting and the started task run on one event loop, and so
// need no lock.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/await.h"
#include "base/task.h"
#include "base/timer.h"

namespace maejin {

template <class T>
class StartedTask {
 public:
  // `executor`: of the starting task. The new task runs to its end even if its result is never fetched.
  StartedTask(const Executor& executor, Task<T> task) : state_(std::make_shared<State>(executor)) {
    boost::asio::co_spawn(executor, Run(state_, std::move(task)), boost::asio::detached);
  }

  // Returns the result or rethrows the task's exception. Call once.
  Task<T> Fetch() { return Wait(state_); }

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    explicit State(const Executor& executor) : done(executor, Clock::time_point::max()) {}
    SteadyTimer done;  // never expires; cancelled when there is a result
    std::optional<T> result;
    std::exception_ptr failure;
  };

  static Task<void> Run(std::shared_ptr<State> state, Task<T> task) {
    try {
      auto result = co_await std::move(task);
      state->result.emplace(std::move(result));
    } catch (...) {
      state->failure = std::current_exception();
    }
    state->done.cancel();
  }

  static Task<T> Wait(std::shared_ptr<State> state) {
    while (!state->result && !state->failure) {
      [[maybe_unused]] const auto cancelled = co_await state->done.async_wait(kAwait);
    }
    if (state->failure) std::rethrow_exception(state->failure);
    co_return std::move(*state->result);
  }

  std::shared_ptr<State> state_;
};

}  // namespace maejin
