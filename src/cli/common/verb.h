// One verb of the command line is one row of the table in cli/verbs.cpp.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace maejin::cli {

// Exit codes of the program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;  // the command line or the configuration is wrong

// What a verb takes besides its flags: how the help calls it, and how many of them.
struct Positionals {
  std::string_view name = {};
  std::size_t least = 0;
  std::size_t most = 0;
};

struct VerbFlag {
  std::string_view name;      // "fans", given as --fans
  std::string_view argument;  // "N"; empty: a switch
  std::string_view fallback;  // shown in the help; empty: none
  std::string_view sentence;
};

// What a verb needs before it can run. Whatever it needs, its command line also takes the flags of
// config/options.cpp.
enum class VerbNeeds : std::uint8_t {
  kNothing,   // no settings are read at all
  kSettings,  // each setting is well formed
  kConfig,    // and they fit together
};

// A command line that was understood.
struct Invocation {
  config::Config config;      // VerbNeeds::kConfig
  config::Settings settings;  // VerbNeeds::kSettings and kConfig
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> arguments;
  bool json = false;  // --json: answer on standard output as JSON

  // The flag's value, or its fallback; empty where it has neither.
  std::string Text(std::string_view flag) const;
  bool Has(std::string_view flag) const { return flags.contains(flag); }
};

struct Verb {
  std::string_view name = {};  // one word, or two: "config check"
  std::string_view sentence;
  VerbNeeds needs = VerbNeeds::kConfig;
  Positionals positionals = {};  // a command line with fewer or more never reaches `run`
  std::vector<VerbFlag> flags = {};
  bool json = false;    // offers --json
  bool hidden = false;  // left out of the help: a tool for tests
  int (*run)(const Invocation&) = nullptr;
};

// Says on standard error why a verb ends without its result. Returns kExitError.
int Fail(std::string_view why);
// The same of a command line that cannot be right, whatever it meets. Returns kExitUsage.
int Misuse(std::string_view why);

// A file that a verb reads; "-" is standard input.
class InputFile {
 public:
  // The error is a sentence: what is named so cannot be read.
  static Result<InputFile, std::string> Open(const std::string& name);

  std::istream& stream();

 private:
  std::unique_ptr<std::ifstream> file_;  // null: standard input
};

// A flag's whole number in min…max. On anything else says so on standard error and returns false.
bool ReadNumber(const Invocation& invocation, std::string_view flag, std::int64_t min, std::int64_t max,
                std::int64_t& number);

}  // namespace maejin::cli
