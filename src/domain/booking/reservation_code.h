// The short code of a reservation, which people read out and type: "K7M2-9XQP". It is the row number of the
// reservation, mixed by a permutation: unique without a table, and consecutive numbers have unlike codes. Not
// a secret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maejin {

// Eight digits and letters without I, L, O and U, in two groups. Precondition: 0 ≤ number < 2^40.
std::string CodeOf(std::int64_t number);
// The row number. Lower case, missing hyphens, and the letters O, I and L for 0 and 1 are accepted. Absent:
// not a code.
std::optional<std::int64_t> NumberOfCode(std::string_view code);

}  // namespace maejin
