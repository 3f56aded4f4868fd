// Invariants of the booking tables that loading them does not check. Each holds after every commit: a payment
// and its reservation change in one transaction.
#pragma once

#include <optional>
#include <string>

#include "adapters/embedded/sqlite.h"

namespace maejin::embedded {

// Checks that no living reservation has a blocked seat, and that the captured payments and the CONFIRMED
// reservations are pairs. A refund ends both at once: the payment becomes REFUND_DUE or REFUNDED, the
// reservation REFUNDED. Free reservations have a payment too. Returns the first contradiction as a sentence,
// or nothing. Throws SqliteError.
std::optional<std::string> FirstContradiction(Connection& reader);

}  // namespace maejin::embedded
