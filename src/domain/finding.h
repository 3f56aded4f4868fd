// What a check found, for operators: `maejin doctor` and the console's panel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace maejin {

enum class Health : std::uint8_t { kGood, kWarning, kBad };

inline std::string_view Name(Health health) {
  if (health == Health::kGood) return "ok";
  return health == Health::kWarning ? "warning" : "bad";
}

struct Finding {
  Health health = Health::kGood;
  std::string about;  // "disk"; the table in deploy/watching.py has every name
  std::string sentence;
};

}  // namespace maejin
