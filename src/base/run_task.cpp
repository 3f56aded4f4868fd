#include "base/run_task.h"

#include <exception>
#include <mutex>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace maejin {
namespace {

struct Loops {
  std::mutex mutex;
  std::vector<boost::asio::io_context*> free;  // guarded by mutex
};

Loops& TheLoops() {
  static auto* const loops = new Loops;
  return *loops;
}

// Exclusive use of an event loop. Loops are reused and never destroyed: the thread that posted a task's last
// step may still signal the loop after the task has ended.
class BorrowedLoop {
 public:
  BorrowedLoop();
  ~BorrowedLoop();
  BorrowedLoop(const BorrowedLoop&) = delete;
  BorrowedLoop& operator=(const BorrowedLoop&) = delete;
  boost::asio::io_context& context() { return *context_; }

 private:
  boost::asio::io_context* context_;
};

BorrowedLoop::BorrowedLoop() {
  auto& loops = TheLoops();
  const std::lock_guard lock(loops.mutex);
  if (loops.free.empty()) {
    context_ = new boost::asio::io_context{1};
    return;
  }
  context_ = loops.free.back();
  loops.free.pop_back();
}

BorrowedLoop::~BorrowedLoop() {
  context_->restart();
  auto& loops = TheLoops();
  const std::lock_guard lock(loops.mutex);
  loops.free.push_back(context_);
}

}  // namespace

void RunTasks(std::vector<Task<void>> tasks) {
  BorrowedLoop loop;
  for (auto& task : tasks)
    boost::asio::co_spawn(loop.context().get_executor(), std::move(task), boost::asio::detached);
  loop.context().run();
}

void RunTask(Task<void> task) {
  BorrowedLoop loop;
  std::exception_ptr failure;
  boost::asio::co_spawn(loop.context().get_executor(), std::move(task),
                        [&](std::exception_ptr thrown) { failure = thrown; });
  loop.context().run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace maejin
