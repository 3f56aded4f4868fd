#include "base/suspend.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/run_task.h"

namespace maejin {
namespace {

using std::this_thread::get_id;

Task<std::thread::id> ResumedBy(std::function<void(Resume)> start) {
  co_await Suspend(std::move(start));
  co_return get_id();
}

TEST(Suspend, TaskThatAnotherThreadResumesContinuesOnItsOwnThread) {
  std::thread other;
  const auto continued_on =
      RunTask(ResumedBy([&](Resume resume) { other = std::thread(std::move(resume)); }));
  other.join();
  EXPECT_EQ(continued_on, get_id());
}

TEST(Suspend, TaskThatIsResumedAtOnceContinuesAfterTheStart) {
  bool started = false;
  RunTask(ResumedBy([&](const Resume& resume) {
    resume();
    started = true;
  }));
  EXPECT_TRUE(started);
}

}  // namespace
}  // namespace maejin
