#include "cli/verb.h"

#include <charconv>
#include <cstdio>

#include <fmt/format.h>

namespace maejin::cli {

std::string Invocation::Text(std::string_view flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::string() : found->second;
}

bool ReadNumber(const Invocation& invocation, std::string_view flag, std::int64_t min, std::int64_t max,
                std::int64_t& number) {
  const auto text = invocation.Text(flag);
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= min && number <= max) return true;
  std::fputs(
      fmt::format("maejin: --{} must be a whole number from {} to {}, not \"{}\"\n", flag, min, max, text)
          .c_str(),
      stderr);
  return false;
}

}  // namespace maejin::cli
