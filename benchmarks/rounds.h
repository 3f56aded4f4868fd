// What the benchmarks share: flags, and rounds against a yardstick on the same cores.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "benchmarks/http_driver.h"

namespace maejin::bench {

class Nginx;

// The command line of a benchmark: `--name value` for numbers, `--name` alone for switches. `--small` is the
// size that tests run.
class Flags {
 public:
  Flags(int argc, char** argv);

  bool small() const { return Has("small"); }
  bool Has(const std::string& name) const { return given_.count(name) > 0; }
  // What was given, or the usual or small size.
  double Number(const std::string& name, double usual, double in_small) const;
  template <class T = int>
  T Count(const std::string& name, double usual, double in_small) const {
    return static_cast<T>(Number(name, usual, in_small));
  }

 private:
  std::map<std::string, std::string> given_;
};

// `--connections`, `--pipeline`, `--seconds` and `--rounds`, as most of them take.
struct Rounds {
  explicit Rounds(const Flags& flags);

  LoadOptions load;  // request, address and pids are the benchmark's
  int count;
};

// Our server under load.
struct Contender {
  std::string name;
  std::string address;
  pid_t pid;
};

struct Comparison {
  double ours_us = 0;  // server CPU per request
  double theirs_us = 0;
  double Ratio() const { return ours_us / theirs_us; }
};
// Drives both in turns with the same requests and prints each round.
Comparison InTurns(const Rounds& rounds, const Contender& ours, const Nginx& yardstick);

// What main() does: runs `body`, and says what went wrong.
int RunBenchmark(int argc, char** argv, const std::function<int(const Flags&)>& body);

// As many open files as the system allows: for thousands of connections.
void RaiseFileLimit();

}  // namespace maejin::bench
