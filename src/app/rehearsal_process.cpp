#include "app/rehearsal_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "base/log.h"
#include "base/run_task.h"

namespace maejin::app {
namespace {

constexpr int kChildNiceness = 10;  // more than the node's
constexpr int kMostNiceness = 19;
constexpr std::size_t kMaxReportBytes = 16'000'000;
constexpr std::size_t kMaxLineBytes = 64'000;
constexpr Millis kLookEvery{100};
constexpr Millis kReapEvery{5};
// The child's time for the steps before and after the sale: reading the server's state may take a minute.
constexpr Seconds kBesidesTheSale{180};
constexpr Seconds kCleansUpWithin{25};
constexpr int kMostExitCode = 4;  // docs/rehearsal.md: 0, 3 and 4 come with a report

// Both ends of a pipe. The destructor closes them.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool ok() const { return ends_[0] >= 0; }
  int write_end() const { return ends_[1]; }
  int TakeReadEnd() { return std::exchange(ends_[0], -1); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// The environment without maejin's settings, which the child gets as flags, and without the variables of the
// service manager, because the child is no service.
std::vector<std::string> ChildEnvironment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view line(*each);
    bool own = false;
    for (const std::string_view prefix : {"MAEJIN_", "NOTIFY_", "LISTEN_", "WATCHDOG_"})
      own = own || line.starts_with(prefix);
    if (!own) kept.emplace_back(line);
  }
  return kept;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Connects the child's output to the pipes, closes all other descriptors and resets the signals.
class SpawnSettings {
 public:
  SpawnSettings(int output, int error) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, error, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&defaults, each);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

bool IsObject(const std::string& text) {
  boost::system::error_code error;
  const auto value = boost::json::parse(text, error);
  return !error && value.is_object();
}

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  constexpr std::string_view kProgram = "maejin: ";
  return text.starts_with(kProgram) ? text.substr(kProgram.size()) : text;
}

// Appends what is readable; false at the end of the stream.
bool ReadSome(int descriptor, std::string& text) {
  std::array<char, 16'384> bytes;
  const auto count = read(descriptor, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace

Result<RehearsalProcess::Child, std::string> RehearsalProcess::Spawn(const RehearsalNumbers& numbers) const {
  std::vector<std::string> arguments{"maejin",
                                     "rehearse",
                                     "--config",
                                     "/dev/null",
                                     "--url",
                                     url_,
                                     "--admin-key-file",
                                     options_.admin_key_file.string(),
                                     "--json",
                                     "--progress",
                                     "json"};
  if (!options_.auth_key_file.empty())
    arguments.insert(arguments.end(), {"--auth-key-file", options_.auth_key_file.string()});
  for (std::size_t i = 0; i < kRehearsalNumbers.size(); ++i) {
    const auto& value = numbers[static_cast<RehearsalKey>(i)];
    if (!value) continue;
    arguments.insert(arguments.end(),
                     {fmt::format("--{}", kRehearsalNumbers[i].flag), std::to_string(*value)});
  }
  auto environment = ChildEnvironment();
  Pipe output;
  Pipe error;
  if (!output.ok() || !error.ok()) return fmt::format("no pipe: {}", std::strerror(errno));
  const SpawnSettings settings(output.write_end(), error.write_end());
  Child child;
  const int failed = posix_spawn(&child.pid, "/proc/self/exe", settings.files(), settings.attributes(),
                                 Pointers(arguments).data(), Pointers(environment).data());
  if (failed != 0) return fmt::format("the process does not start: {}", std::strerror(failed));
  // A sandbox may forbid setpriority(); the rehearsal then runs at the priority of the node.
  const int niceness = std::min(kMostNiceness, getpriority(PRIO_PROCESS, 0) + kChildNiceness);
  setpriority(PRIO_PROCESS, static_cast<id_t>(child.pid), niceness);
  child.output = output.TakeReadEnd();
  child.error = error.TakeReadEnd();
  return child;
}

Outcome<RehearsalStatus> RehearsalProcess::Start(RehearsalNumbers numbers, std::string actor, OnEnd on_end) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return Refused(Refusal::kUnavailable);
  if (status_ && status_->running()) return Refused(Refusal::kRehearsalRunning);
  if (thread_.joinable()) thread_.join();  // the rehearsal has ended
  RehearsalStatus status;
  status.id = status_ ? status_->id + 1 : 1;
  status.actor = std::move(actor);
  status.numbers = numbers;
  status.started_at = clock_.Now();
  const auto child = Spawn(numbers);
  if (!child) {
    status.state = RehearsalState::kFailed;
    status.ended_at = status.started_at;
    status.reason = child.error();
    LogError("rehearsal: {}", status.reason);
    status_ = status;
    return status;
  }
  const auto seconds = [&](RehearsalKey key) { return Seconds(numbers[key].value_or(0)); };
  deadline_ = std::chrono::steady_clock::now() + seconds(RehearsalKey::kOpensIn) +
              seconds(RehearsalKey::kPatience) + kBesidesTheSale;
  last_line_.clear();
  running_ = child->pid;
  status_ = status;
  thread_ = std::thread([this, started = *child, end = std::move(on_end)] { Follow(started, end); });
  return status;
}

std::optional<RehearsalStatus> RehearsalProcess::Read() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool RehearsalProcess::Cancel() {
  const std::lock_guard lock(mutex_);
  if (!status_ || !status_->running()) return false;
  // A second signal would end the child before it has cleaned up.
  if (status_->state == RehearsalState::kRunning && running_ > 0) {
    kill(-running_, SIGINT);
    deadline_ = std::chrono::steady_clock::now() + kCleansUpWithin;
  }
  status_->state = RehearsalState::kCancelling;
  return true;
}

void RehearsalProcess::Stop() {
  stopping_ = true;
  Cancel();
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
}

RehearsalProcess::Moment RehearsalProcess::DeadlineNow() const {
  const std::lock_guard lock(mutex_);
  return deadline_;
}

void RehearsalProcess::TakeLine(const std::string& line) {
  boost::system::error_code error;
  const auto value = boost::json::parse(line, error);
  const std::lock_guard lock(mutex_);
  if (error || !value.is_object()) {
    if (!line.empty()) last_line_ = line;
    return;
  }
  status_->progress = line;
  const auto* concert = value.get_object().if_contains("concertId");
  if (concert != nullptr && concert->is_int64()) status_->concert = concert->get_int64();
}

void RehearsalProcess::TakeErrorText(std::string& text) {
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    TakeLine(text.substr(0, end));
    text.erase(0, end + 1);
  }
  if (text.size() > kMaxLineBytes) text.clear();
}

std::string RehearsalProcess::ReadOutput(const Child& child) {
  std::string output;
  std::string error;
  std::array<pollfd, 2> streams{{{child.output, POLLIN, 0}, {child.error, POLLIN, 0}}};
  bool killed = false;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    poll(streams.data(), streams.size(), static_cast<int>(kLookEvery.count()));
    if (streams[0].revents != 0 && !ReadSome(child.output, output)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !ReadSome(child.error, error)) streams[1].fd = -1;
    TakeErrorText(error);
    const bool late = std::chrono::steady_clock::now() > DeadlineNow();
    if (!killed && (late || output.size() > kMaxReportBytes)) {
      kill(-child.pid, SIGKILL);
      killed = true;
      TakeLine(late ? "it did not end in time" : "its report is too large");
      output.clear();
    }
  }
  if (killed) output.clear();
  return output;
}

RehearsalStatus RehearsalProcess::Conclude(std::string output, int status) {
  const std::lock_guard lock(mutex_);
  auto ended = *status_;
  output = Trimmed(std::move(output));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code >= 0 && code <= kMostExitCode && IsObject(output)) ended.report = std::move(output);
  if (ended.state == RehearsalState::kCancelling) {
    ended.state = RehearsalState::kCancelled;
  } else if (!ended.report.empty()) {
    ended.state = RehearsalState::kFinished;
  } else {
    ended.state = RehearsalState::kFailed;
    ended.reason = Trimmed(last_line_);
    if (ended.reason.empty()) ended.reason = fmt::format("it ended without a report (status {})", status);
  }
  return ended;
}

// Waits for the child, which has closed its streams.
int RehearsalProcess::Reap(const Child& child) {
  int status = 0;
  while (waitpid(child.pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > DeadlineNow()) kill(-child.pid, SIGKILL);
    std::this_thread::sleep_for(kReapEvery);
  }
  return status;
}

void RehearsalProcess::Follow(const Child& child, const OnEnd& on_end) {
  auto output = ReadOutput(child);
  close(child.output);
  close(child.error);
  {
    const std::lock_guard lock(mutex_);
    running_ = -1;  // the pid may soon belong to another process
  }
  auto ended = Conclude(std::move(output), Reap(child));
  const auto done = RunTask(on_end(ended));
  if (!done) LogError("the end of a rehearsal is not in the audit log: {}", Code(done.error().why));
  ended.ended_at = clock_.Now();
  const std::lock_guard lock(mutex_);
  status_ = std::move(ended);
}

}  // namespace maejin::app
