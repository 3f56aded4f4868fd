#include "cli/events.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "cli/common/event_follower.h"

namespace maejin::cli {
namespace {

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the command has closed its input
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Runs the command with the event on standard input. True: it exited with 0.
bool RunCommand(const std::string& command, const Event& event) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const auto id = std::to_string(event.id);
  const auto child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    dup2(ends[0], STDIN_FILENO);
    setenv("MAEJIN_EVENT_ID", id.c_str(), 1);
    setenv("MAEJIN_EVENT_TYPE", event.type.c_str(), 1);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  close(ends[0]);
  if (child > 0) WriteAll(ends[1], event.json + "\n");
  close(ends[1]);
  if (child < 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Handled Print(const Event& event) {
  std::puts(event.json.c_str());
  // The reader of standard output may be gone.
  return std::fflush(stdout) == 0 ? Handled::kDone : Handled::kStop;
}

}  // namespace

std::vector<VerbFlag> EventsFollowFlags() {
  return {
      {"types", "LIST", "", "Only these types, such as reservation.*,concert.opened"},
      {"exec", "CMD", "", "Run a shell command for each event, with the event on standard input"},
      {"after", "ID", "", "Begin after this event (default: where the last run with this cursor stopped)"},
      {"cursor", "FILE", "", "File of the last handled event (default: events.cursor in the data folder)"},
      {"url", "URL", "", "URL of the server (default: the server of the data folder)"},
      {"once", "", "", "Exit at the end of the feed"},
  };
}

int RunEventsFollow(const Invocation& invocation) {
  if (const auto filter = EventFilter::Parse(invocation.Text("types")); !filter)
    return FailUsage(filter.error().about);
  const auto command = invocation.Text("exec");
  const auto handle = [&command](EventFollower&, const Event& event) {
    if (command.empty()) return Print(event);
    if (RunCommand(command, event)) return Handled::kDone;
    fmt::print(stderr, "maejin: the command failed for event {}; trying again\n", event.id);
    return Handled::kTryAgain;
  };
  return Follow(invocation, {invocation.Text("types"), "events.cursor", handle});
}

}  // namespace maejin::cli
