// Flags of the benchmarks, and alternating rounds against the baseline on the same cores.
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

// The command line of a benchmark: `--name value` for numbers, `--name` for switches. Tests use `--small`.
class Flags {
 public:
  Flags(int argc, char** argv);

  bool small() const { return Has("small"); }
  bool Has(const std::string& name) const { return given_.count(name) > 0; }
  // The given value, or the default of the size.
  double Number(const std::string& name, double usual, double in_small) const;
  template <class T = int>
  T Count(const std::string& name, double usual, double in_small) const {
    return static_cast<T>(Number(name, usual, in_small));
  }

 private:
  std::map<std::string, std::string> given_;
};

// `--connections`, `--pipeline`, `--seconds` and `--rounds`.
struct Rounds {
  explicit Rounds(const Flags& flags);

  LoadOptions load;  // the benchmark sets request, address and pids
  int count;
};

// The server under load.
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
// Loads both alternately with the same requests and prints each round.
Comparison InTurns(const Rounds& rounds, const Contender& ours, const Nginx& yardstick);

// The body of main(): runs `body` and prints an error.
int RunBenchmark(int argc, char** argv, const std::function<int(const Flags&)>& body);

// Raises the limit of open files to its maximum.
void RaiseFileLimit();

}  // namespace maejin::bench
