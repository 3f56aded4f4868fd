// Runs a function on another thread, e.g. a disk read, and resumes the task on its own thread afterwards.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/suspend.h"
#include "base/task.h"

namespace maejin {

// Queues a function on the other thread.
using Post = std::function<void(std::function<void()>)>;

namespace internal {

// The same coroutine for all work with one type of result, which shortens the compile time of the callers.
template <class T>
Task<T> RunElsewhere(Post post, std::function<T()> work) {
  // Shared, because the task may be destroyed at the end of the program while `work` still runs.
  struct State {
    std::optional<T> result;
    std::exception_ptr failure;
  };
  const auto state = std::make_shared<State>();
  const auto start = [&](Resume resume) {
    post([state, resume = std::move(resume), work = std::move(work)] {
      try {
        state->result.emplace(work());
      } catch (...) {
        state->failure = std::current_exception();
      }
      resume();
    });
  };
  co_await Suspend(start);
  if (state->failure) std::rethrow_exception(state->failure);
  co_return std::move(*state->result);
}

}  // namespace internal

// Rethrows what `work` throws.
template <class Work>
Task<std::invoke_result_t<Work>> RunElsewhere(Post post, Work work) {
  return internal::RunElsewhere<std::invoke_result_t<Work>>(std::move(post), std::move(work));
}

}  // namespace maejin
