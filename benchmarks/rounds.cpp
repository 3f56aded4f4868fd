#include "benchmarks/rounds.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/resource.h>

#include "benchmarks/nginx.h"

namespace maejin::bench {

Flags::Flags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) throw std::runtime_error(fmt::format("{} is not a flag", word));
    const bool valued = i + 1 < argc && !std::string_view(argv[i + 1]).starts_with("--");
    given_[std::string(word.substr(2))] = valued ? argv[++i] : "";
  }
}

double Flags::Number(const std::string& name, double usual, double in_small) const {
  const auto found = given_.find(name);
  if (found == given_.end()) return small() ? in_small : usual;
  return std::stod(found->second);
}

Rounds::Rounds(const Flags& flags) : count(flags.Count("rounds", 3, 1)) {
  load.connections = flags.Count("connections", 64, 8);
  load.pipeline = flags.Count("pipeline", 1, 1);
  load.duration =
      std::chrono::milliseconds(static_cast<std::int64_t>(flags.Number("seconds", 2, 0.1) * 1000));
  load.warm_up = load.duration / 10;
}

Comparison InTurns(const Rounds& rounds, const Contender& ours, const Nginx& yardstick) {
  const auto drive = [&](const std::string& name, const std::string& address, std::vector<pid_t> pids) {
    auto load = rounds.load;
    load.address = address;
    load.server_pids = std::move(pids);
    const auto report = Drive(load);
    fmt::print("{:<8}{}\n", name, Describe(report));
    return report.server_cpu_us / rounds.count;
  };
  Comparison sum;
  for (int round = 0; round < rounds.count; ++round) {
    sum.ours_us += drive(ours.name, ours.address, {ours.pid});
    sum.theirs_us += drive("nginx", yardstick.address(), yardstick.pids());
  }
  return sum;
}

int RunBenchmark(int argc, char** argv, const std::function<int(const Flags&)>& body) {
  try {
    return body(Flags(argc, argv));
  } catch (const std::exception& error) {
    const auto name = std::filesystem::path(argv[0]).filename().string();
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

void RaiseFileLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace maejin::bench
