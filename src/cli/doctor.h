// maejin doctor: checks data folder, disk, clock, limits and back ends before an on-sale.
#pragma once

#include <string>
#include <vector>

#include "cli/common/verb.h"

namespace maejin::cli {

enum class Health : std::uint8_t { kGood, kWarning, kBad };

struct Finding {
  Health health = Health::kGood;
  std::string_view about;  // "disk"
  std::string sentence;
};

// Runs all checks. Writes only one temporary file, which it removes.
std::vector<Finding> Examine(const config::Config& config);

// Exit code 1 if a finding is kBad, else 0.
int RunDoctor(const Invocation& invocation);

}  // namespace maejin::cli
