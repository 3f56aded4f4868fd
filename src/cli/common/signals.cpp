#include "cli/common/signals.h"

#include <csignal>
#include <ctime>

namespace maejin::cli {
namespace {

sigset_t StopSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignals::StopSignals(Hangup hangup) : hangup_(hangup) {
  auto set = StopSet();
  if (hangup_ == Hangup::kHandled) sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void StopSignals::Wait(const std::function<void()>& on_hangup) const {
  auto set = StopSet();
  if (hangup_ == Hangup::kHandled) sigaddset(&set, SIGHUP);
  int received = SIGHUP;
  while (sigwait(&set, &received) == 0 && received == SIGHUP) {
    if (on_hangup) on_hangup();
  }
}

bool StopSignals::WaitFor(Millis length) const {
  const auto set = StopSet();
  const timespec limit{length.count() / 1000, length.count() % 1000 * 1'000'000};
  return sigtimedwait(&set, nullptr, &limit) > 0;
}

void StopSignals::RestoreDefault() const {
  const auto set = StopSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace maejin::cli
