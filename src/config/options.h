// The table of all settings. Flags, environment variables, TOML keys, checks and docs/configuration.md are
// generated from it. `auth.users` is `--auth-users`, `MAEJIN_AUTH_USERS`, and `users` under `[auth]`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::config {

enum class OptionType : std::uint8_t {
  kText,
  kPath,
  kAddress,  // host:port, [::1]:port
  kInteger,
  kBoolean,
  kChoice,
  kList,    // in TOML an array of strings; elsewhere separated by commas
  kSecret,  // text that is never shown; MAEJIN_…_FILE names a file that holds it
};

struct Option {
  std::string_view name;
  OptionType type = OptionType::kText;
  std::string_view fallback;  // the default, as text
  std::string_view sentence;
  std::string_view choices = {};  // kChoice: separated by '|'
  std::int64_t min = 0;           // kInteger only
  std::int64_t max = 0;
  // Checks a value of the right type; the error is as in ValueError(). Null: every such value is valid.
  std::optional<std::string> (*check)(std::string_view value) = nullptr;
};

// All options, in the order of docs/configuration.md.
std::span<const Option> Options();
const Option* FindOption(std::string_view name);

std::string FlagOf(const Option& option);         // "--auth-users"
std::string EnvironmentOf(const Option& option);  // "MAEJIN_AUTH_USERS"
std::string_view TypeName(OptionType type);       // for documentation
std::string ArgumentOf(const Option& option);     // for the help: "ADDRESS", "trusted|signed"

// Why `value` is invalid for this option, as the end of a sentence ("must be …"); absent if it is valid.
std::optional<std::string> ValueError(const Option& option, std::string_view value);

// The items of a kList's value.
std::vector<std::string> ListItems(std::string_view value);

// docs/configuration.md's table, as Markdown.
std::string OptionsAsMarkdown();

}  // namespace maejin::config
