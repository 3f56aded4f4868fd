#include "cli/common/signals.h"

#include <csignal>
#include <ctime>

#include "base/log.h"

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
  if (hangup_ == Hangup::kIgnored) sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void StopSignals::Wait() const {
  auto set = StopSet();
  if (hangup_ == Hangup::kIgnored) sigaddset(&set, SIGHUP);
  int received = SIGHUP;
  while (sigwait(&set, &received) == 0 && received == SIGHUP) {
    LogWarning("SIGHUP is ignored: a running server does not reload its configuration; restart it instead");
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
