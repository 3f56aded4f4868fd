// Runs a rehearsal as a child process: `maejin rehearse` of the same program, against this node.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"
#include "store/rehearsal_runner.h"

namespace maejin::app {

// Runs one rehearsal at a time. The child has a lower priority and a process group of its own. It inherits no
// setting and no open file except its output pipes; it reads the admin key from its file.
class RehearsalProcess final : public RehearsalRunner {
 public:
  struct Options {
    std::filesystem::path admin_key_file;
    std::filesystem::path auth_key_file;  // empty: users are not signed
  };
  // The clock outlives it.
  RehearsalProcess(Options options, const Clock& clock) : options_(std::move(options)), clock_(clock) {}
  ~RehearsalProcess() override { Stop(); }

  // "http://127.0.0.1:8080", where the child reaches this node. Call once, before the first request.
  void SetUrl(std::string url) { url_ = std::move(url); }
  // Cancels a running rehearsal, waits until it has ended, and refuses new ones. The node still has to answer
  // requests, so that the child can clean up.
  void Stop();

  Outcome<RehearsalStatus> Start(RehearsalNumbers numbers, std::string actor, OnEnd on_end) override;
  std::optional<RehearsalStatus> Read() const override;
  bool Cancel() override;

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Child {
    pid_t pid = -1;
    int output = -1;  // the report
    int error = -1;   // progress and errors
  };

  // The error is a sentence.
  Result<Child, std::string> Spawn(const RehearsalNumbers& numbers) const;
  // The thread of one rehearsal.
  void Follow(const Child& child, const OnEnd& on_end);
  // Reads both pipes until the child closes them. Kills it at its deadline.
  std::string ReadOutput(const Child& child);
  void TakeErrorText(std::string& text);
  void TakeLine(const std::string& line);
  Moment DeadlineNow() const;
  int Reap(const Child& child);
  RehearsalStatus Conclude(std::string output, int status);

  const Options options_;
  const Clock& clock_;
  std::string url_;
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::optional<RehearsalStatus> status_;
  pid_t running_ = -1;  // the child; -1: none, or it has ended
  Moment deadline_{};
  std::string last_line_;  // the last text line of standard error that is no progress
  std::thread thread_;     // of the last rehearsal
};

}  // namespace maejin::app
