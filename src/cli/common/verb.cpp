#include "cli/common/verb.h"

#include <cstdio>
#include <iostream>

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

int FailUsage(std::string_view why) {
  Fail(why);
  return kExitUsage;
}

Result<InputFile, std::string> InputFile::Open(const std::string& name) {
  InputFile input;
  if (name == "-") return input;
  input.file_ = std::make_unique<std::ifstream>(name, std::ios::binary);
  // Opening a folder succeeds; only reading fails.
  if (input.file_->is_open()) input.file_->peek();
  if (!input.file_->is_open() || input.file_->bad()) return fmt::format("cannot read {}", name);
  input.file_->clear();
  return input;
}

std::istream& InputFile::stream() { return file_ ? static_cast<std::istream&>(*file_) : std::cin; }

bool ReadNumber(const Invocation& invocation, std::string_view flag, std::int64_t min, std::int64_t max,
                std::int64_t& number) {
  const auto text = invocation.Text(flag);
  if (const auto read = ParseInt<std::int64_t>(text, min, max)) {
    number = *read;
    return true;
  }
  Fail(fmt::format("--{} must be a whole number from {} to {}, not \"{}\"", flag, min, max, text));
  return false;
}

}  // namespace maejin::cli
