// `maejin serve` as a child process on a data folder and a free port; killed at the end.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace maejin::testing {

class ServerProcess {
 public:
  // Returns when it accepts connections.
  ServerProcess(const std::filesystem::path& binary, const std::filesystem::path& data,
                const std::vector<std::string>& more = {}) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    std::vector<std::string> words{binary.string(), "serve",  "--listen",
                                   "127.0.0.1:0",   "--data", data.string()};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const auto start = std::chrono::steady_clock::now();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], STDOUT_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    const auto line = FirstLine(ends[0]);
    start_time_ = std::chrono::steady_clock::now() - start;
    close(ends[0]);
    const auto at = line.find("http://");
    if (at == std::string::npos) throw std::runtime_error("the server does not start: " + line);
    address_ = line.substr(at + 7);
  }
  ~ServerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& address() const { return address_; }  // "127.0.0.1:40123"
  pid_t pid() const { return pid_; }
  std::chrono::duration<double> start_time() const { return start_time_; }
  std::size_t ResidentBytes() const {
    std::ifstream statm("/proc/" + std::to_string(pid_) + "/statm");
    std::size_t pages = 0;
    std::size_t resident = 0;
    statm >> pages >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  static std::string FirstLine(int fd) {
    std::string line;
    char c = 0;
    while (read(fd, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  std::string address_;
  pid_t pid_ = -1;
  std::chrono::duration<double> start_time_{};
};

// A temporary folder, removed by the destructor.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("maejin-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace maejin::testing
