// maejin doctor: what an operator wants to know before the on-sale, not during it.
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

// Looks at everything; changes nothing but a file of its own, which it removes.
std::vector<Finding> Examine(const config::Config& config);

// 0, or 1 where something is bad. Warnings do not count.
int RunDoctor(const Invocation& invocation);

}  // namespace maejin::cli
