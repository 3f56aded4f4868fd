#include "cli/verb.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/numbers.h"

namespace maejin::cli {

std::string Invocation::Text(std::string_view flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::string() : found->second;
}

int Fail(std::string_view why) {
  std::fputs(fmt::format("maejin: {}\n", why).c_str(), stderr);
  return kExitError;
}

bool ReadNumber(const Invocation& invocation, std::string_view flag, std::int64_t min, std::int64_t max,
                std::int64_t& number) {
  const auto text = invocation.Text(flag);
  if (const auto read = WholeNumber<std::int64_t>(text, min, max)) {
    number = *read;
    return true;
  }
  Fail(fmt::format("--{} must be a whole number from {} to {}, not \"{}\"", flag, min, max, text));
  return false;
}

}  // namespace maejin::cli
