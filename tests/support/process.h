// A child process of a test. It ends with the test, even after a crash.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace maejin::test {

// Sends SIGSTOP and returns when the child has stopped. Until then its threads may still answer.
inline void Freeze(pid_t child) {
  kill(child, SIGSTOP);
  waitpid(child, nullptr, WUNTRACED);
}

// The output of a shell command; throws if it fails.
inline std::string Output(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen");
  std::string text;
  char buffer[4096];
  while (const auto size = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  if (pclose(pipe) != 0) throw std::runtime_error(command + ": failed: " + text);
  return text;
}

class Process {
 public:
  // Returns when the program has printed `ready`; throws with its output if it ends before.
  Process(std::vector<std::string> words, const std::string& ready) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(pipe_ends[1], 1);
      dup2(pipe_ends[1], 2);
      std::vector<char*> argv;
      for (auto& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execvp(argv[0], argv.data());
      _exit(127);
    }
    close(pipe_ends[1]);
    AwaitWord(pipe_ends[0], ready);
    // Drains the pipe, so that the program does not block on it.
    drain_ = std::thread([fd = pipe_ends[0]] {
      char buffer[4096];
      while (read(fd, buffer, sizeof buffer) > 0) {
      }
      close(fd);
    });
  }
  ~Process() {
    Kill();
    drain_.join();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Pause() const { Freeze(pid_); }
  void Resume() const { kill(pid_, SIGCONT); }
  // SIGKILL.
  void Kill() { End(SIGKILL); }
  // SIGTERM: an orderly shutdown.
  void Terminate() { End(SIGTERM); }

 private:
  void End(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    if (signal != SIGKILL) kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  void AwaitWord(int fd, const std::string& ready) {
    std::string seen;
    char buffer[4096];
    while (seen.find(ready) == std::string::npos) {
      const auto size = read(fd, buffer, sizeof buffer);
      if (size <= 0) {
        waitpid(pid_, nullptr, 0);
        throw std::runtime_error("the program did not start: " + seen);
      }
      seen.append(buffer, static_cast<std::size_t>(size));
    }
  }

  pid_t pid_ = 0;
  std::thread drain_;
};

}  // namespace maejin::test
