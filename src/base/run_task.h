// Runs one task to its end on the calling thread: command line verbs, tests, benchmarks. Never inside the server.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace maejin {

template <class T>
Task<void> StoreResult(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

template <class T>
T RunTask(Task<T> task) {
  boost::asio::io_context context{1};
  std::optional<T> result;
  std::exception_ptr failure;
  boost::asio::co_spawn(context.get_executor(), StoreResult(std::move(task), result),
                        [&](std::exception_ptr thrown) { failure = thrown; });
  context.run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace maejin
