// The port that erases persons from bookings. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "store/booking_operations.h"

namespace maejin {

// The person to erase. Bookings keep their figures.
struct Erasure {
  UserId user;
  UserId pseudonym;   // random, so that no client can name it
  std::string shown;  // the text that the audit log stores instead of the user
};
// The prefix of every pseudonym.
inline constexpr std::string_view kErasedPrefix = "erased-";

class PersonStore {
 public:
  virtual ~PersonStore() = default;

  // Replaces the user by the pseudonym in all its reservations. Removes the idempotency keys of its holds
  // and its seat counts. Its admissions end and lose their user, so that their places stay used and their
  // passes revoked. Returns the number of reservations. Refuses: kUnavailable.
  virtual Task<Outcome<std::int64_t>> Erase(Erasure erasure, Operator actor) = 0;
  // Replaces the users of past reservations, at most `limit` of them, each by a pseudonym of its own. A
  // reservation is past if its date (in UTC) or its end lies before `before`; HELD and PAYING ones never are.
  // Returns the number of reservations; 0: there are none. Refuses: kUnavailable.
  virtual Task<Outcome<std::int64_t>> ErasePast(Time before, std::size_t limit, Operator actor) = 0;
};

}  // namespace maejin
