#include "benchmarks/maejin_process.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace maejin::bench {
namespace {

std::string Binary() {
  const char* named = std::getenv("MAEJIN_BINARY");
  if (named) return named;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "maejin";
}

// "maejin: listening on http://127.0.0.1:8080" → "127.0.0.1:8080".
std::string AwaitAddress(int output) {
  std::string line;
  char byte = 0;
  while (read(output, &byte, 1) == 1 && byte != '\n') line += byte;
  const auto at = line.find("http://");
  if (at == std::string::npos) throw std::runtime_error("maejin does not start");
  return line.substr(at + 7);
}

}  // namespace

MaejinProcess::MaejinProcess(const std::vector<std::string>& flags) {
  char name[] = "/tmp/maejin-bench-XXXXXX";
  if (!mkdtemp(name)) throw std::runtime_error("cannot make a data folder");
  folder_ = name;
  std::vector<std::string> words = {Binary(), "serve", "--listen", "127.0.0.1:0", "--data", folder_};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  address_ = AwaitAddress(ends[0]);
  close(ends[0]);
  std::ifstream(folder_ + "/admin.key") >> admin_key_;
}

void MaejinProcess::Stop() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

MaejinProcess::~MaejinProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

}  // namespace maejin::bench
