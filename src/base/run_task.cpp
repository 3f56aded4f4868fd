#include "base/run_task.h"

#include <mutex>
#include <vector>

#include <boost/asio/detached.hpp>

namespace maejin::internal {
namespace {

struct Loops {
  std::mutex mutex;
  std::vector<boost::asio::io_context*> free;  // guarded by mutex
};

Loops& TheLoops() {
  static auto* const loops = new Loops;
  return *loops;
}

}  // namespace

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

}  // namespace maejin::internal

namespace maejin {

void RunTasks(std::vector<Task<void>> tasks) {
  internal::BorrowedLoop loop;
  for (auto& task : tasks)
    boost::asio::co_spawn(loop.context().get_executor(), std::move(task), boost::asio::detached);
  loop.context().run();
}

}  // namespace maejin
