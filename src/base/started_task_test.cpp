#include "base/started_task.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <stdexcept>
#include <string>

#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/run_elsewhere.h"
#include "base/run_task.h"

namespace maejin {
namespace {

using Pool = boost::asio::thread_pool;

Task<int> OnThePool(Pool* pool, std::function<int()> work) {
  const auto post = [pool](std::function<void()> job) { boost::asio::post(*pool, std::move(job)); };
  auto result = co_await RunElsewhere(post, work);
  co_return result;
}

// Starts a task that waits for a value. The value is set only after the constructor of StartedTask has
// returned.
Task<std::string> Overlap(Pool* pool) {
  std::promise<int> word;
  const auto executor = co_await boost::asio::this_coro::executor;
  StartedTask<int> started(executor, OnThePool(pool, [&] { return word.get_future().get(); }));
  word.set_value(7);
  const auto result = co_await started.Fetch();
  co_return "fetched " + std::to_string(result);
}

TEST(StartedTask, RunsWhileItsStarterGoesOn) {
  Pool pool(1);
  EXPECT_EQ(RunTask(Overlap(&pool)), "fetched 7");
}

Task<int> Throws() {
  throw std::runtime_error("no");
  co_return 0;
}

Task<std::string> FetchAFailure() {
  const auto executor = co_await boost::asio::this_coro::executor;
  StartedTask<int> started(executor, Throws());
  try {
    co_await started.Fetch();
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
  co_return "nothing was thrown";
}

TEST(StartedTask, FetchRethrowsTheException) { EXPECT_EQ(RunTask(FetchAFailure()), "no"); }

}  // namespace
}  // namespace maejin
