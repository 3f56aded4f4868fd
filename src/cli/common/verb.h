// A verb of the command line: one row of the table in cli/verbs.cpp.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
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

// Positional arguments of a verb: their name and sentence in the help, and how many.
struct Positionals {
  std::string_view name = {};
  std::size_t least = 0;
  std::size_t most = 0;
  std::string_view sentence = {};
};

struct VerbFlag {
  std::string_view name;      // "fans", given as --fans
  std::string_view argument;  // "N"; empty: a switch
  std::string_view fallback;  // shown in the help; empty: none
  std::string_view sentence;
};

// Which settings a verb needs. Except for kNothing, its command line also accepts the flags of
// config/options.cpp.
enum class VerbNeeds : std::uint8_t {
  kNothing,   // reads no settings
  kSettings,  // every setting is well formed
  kConfig,    // and the settings do not conflict
  kDatabase,  // the same, but --mysql needs no --redis
};

// A parsed command line.
struct Invocation {
  config::Config config;      // filled for VerbNeeds::kConfig and kDatabase
  config::Settings settings;  // filled except for VerbNeeds::kNothing
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> arguments;
  bool json = false;  // --json: print the result as JSON
  // Reads the settings again from the same flags, variables and file.
  std::function<Result<config::Config, config::ConfigErrors>()> reread = {};

  // The flag's value, or its fallback; empty where it has neither.
  std::string Text(std::string_view flag) const;
  bool Has(std::string_view flag) const { return flags.contains(flag); }
};

// The help of --json.
inline constexpr std::string_view kJsonSentence = "Print the result as JSON";

struct Verb {
  std::string_view name = {};  // one word, or two: "config check"
  std::string_view sentence;
  VerbNeeds needs = VerbNeeds::kConfig;
  Positionals positionals = {};  // checked before `run` is called
  std::vector<VerbFlag> flags = {};
  bool json = false;    // offers --json
  bool hidden = false;  // not shown in the help: a tool for tests
  int (*run)(const Invocation&) = nullptr;
};

// Prints an error to standard error. Returns kExitError.
int Fail(std::string_view why);
// The same for an invalid command line. Returns kExitUsage.
int FailUsage(std::string_view why);

// An input file of a verb; "-" is standard input.
class InputFile {
 public:
  // The error is a sentence: the file cannot be read.
  static Result<InputFile, std::string> Open(const std::string& name);

  std::istream& stream();

 private:
  std::unique_ptr<std::ifstream> file_;  // null: standard input
};

// Reads a flag's integer in min…max. Otherwise prints an error to standard error and returns false.
bool ReadNumber(const Invocation& invocation, std::string_view flag, std::int64_t min, std::int64_t max,
                std::int64_t& number);

}  // namespace maejin::cli
