#include "cli/events.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/numbers.h"
#include "cli/common/admin_client.h"
#include "cli/common/signals.h"
#include "domain/event.h"

namespace maejin::cli {
namespace {

// Short, so that a signal takes effect soon.
constexpr int kWaitSeconds = 2;
constexpr Seconds kRequestTimeout{30};
constexpr Millis kFirstPause{1000};
constexpr Millis kLongestPause{30'000};

// The id of the last handled event, in a file of its own: replaced as a whole, so that a crash leaves the old
// or the new id.
class Cursor {
 public:
  explicit Cursor(std::filesystem::path file) : file_(std::move(file)) {}

  std::int64_t Read() const {
    std::ifstream in(file_);
    std::string text;
    std::getline(in, text);
    return ParseInt<std::int64_t>(text).value_or(0);
  }
  // False: the file cannot be written.
  bool Write(std::int64_t id) const {
    const auto text = std::to_string(id) + "\n";
    auto temporary = file_;
    temporary += ".new";
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool written =
        write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
    close(fd);
    return written && std::rename(temporary.c_str(), file_.c_str()) == 0;
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  const std::filesystem::path file_;
};

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the command does not read
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

class Follower {
 public:
  Follower(const StopSignals& signals, const Invocation& invocation, Cursor cursor)
      : signals_(signals),
        invocation_(invocation),
        command_(invocation.Text("exec")),
        types_(invocation.Text("types")),
        cursor_(std::move(cursor)),
        after_(cursor_.Read()) {}

  void StartAfter(std::int64_t id) { after_ = id; }

  int Run() {
    Millis pause = kFirstPause;
    while (!stopped_) {
      const auto read = ReadPage();
      if (!read) {
        if (read.error().empty()) return kExitError;
        fmt::print(stderr, "maejin: {}; trying again\n", read.error());
        stopped_ = signals_.WaitFor(pause);
        pause = std::min(pause * 2, kLongestPause);
        continue;
      }
      pause = kFirstPause;
      if (*read == 0 && invocation_.Has("once")) return kExitDone;
      stopped_ = stopped_ || signals_.WaitFor(Millis{0});
    }
    return kExitDone;
  }

 private:
  // Returns the number of handled events. The error is a sentence; it is empty if a retry cannot succeed.
  Result<std::size_t, std::string> ReadPage() {
    if (!client_) {
      const auto server =
          invocation_.Has("url") ? invocation_.Text("url") : RunningServer(invocation_.config);
      if (!server) return std::string("no server runs on the data folder");
      auto client = AdminClient(*server, invocation_.config);
      if (!client) return client.error();
      client_ = std::move(*client);
      client_->SetTimeout(kRequestTimeout);
    }
    HttpCall call;
    call.target = fmt::format("/api/v1/admin/events?after={}&types={}&limit=100&wait={}", after_, types_,
                              invocation_.Has("once") ? 0 : kWaitSeconds);
    const auto answer = client_->Call(call);
    if (!answer) {
      client_.reset();
      return answer.error();
    }
    if (answer->status == 400 || answer->status == 401) {
      Fail(answer->body);
      return std::string();
    }
    if (answer->status != 200) return fmt::format("the server answers {}", answer->status);
    return HandlePage(answer->body);
  }

  Result<std::size_t, std::string> HandlePage(const std::string& body) {
    const auto page = boost::json::parse(body);
    std::size_t handled = 0;
    for (const auto& each : page.at("events").as_array()) {
      auto event = ParseEvent(boost::json::serialize(each));
      if (!Handle(event)) return handled;
      after_ = event.id;
      ++handled;
      if (!cursor_.Write(after_)) {
        Fail(fmt::format("cannot write {}", cursor_.file().string()));
        return std::string();
      }
    }
    // Events of other types were passed over.
    after_ = std::max(after_, page.at("next").to_number<std::int64_t>());
    return handled;
  }

  // Retries until the command succeeds, because the order of the events is kept. False: the operator stops.
  bool Handle(const Event& event) {
    if (command_.empty()) {
      std::puts(event.json.c_str());
      // The reader of standard output may be gone.
      stopped_ = std::fflush(stdout) != 0;
      return !stopped_;
    }
    for (Millis pause = kFirstPause; !RunCommand(command_, event);
         pause = std::min(pause * 2, kLongestPause)) {
      fmt::print(stderr, "maejin: the command failed for event {}; trying again\n", event.id);
      stopped_ = signals_.WaitFor(pause);
      if (stopped_) return false;
    }
    return true;
  }

  const StopSignals& signals_;
  const Invocation& invocation_;
  const std::string command_;
  const std::string types_;
  const Cursor cursor_;
  std::int64_t after_;
  std::optional<HttpClient> client_;
  bool stopped_ = false;
};

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
  std::int64_t after = 0;
  if (invocation.Has("after") && !ReadNumber(invocation, "after", 0, INT64_MAX, after)) return kExitUsage;
  const auto given = invocation.Text("cursor");
  const StopSignals signals;
  Follower follower(
      signals, invocation,
      Cursor(given.empty() ? invocation.config.data / "events.cursor" : std::filesystem::path(given)));
  if (invocation.Has("after")) follower.StartAfter(after);
  return follower.Run();
}

}  // namespace maejin::cli
