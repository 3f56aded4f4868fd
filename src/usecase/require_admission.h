// May this caller book now? A hold needs a token of the concert's room whose holder is inside.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

struct AdmissionQuestion {
  RoomId room;
  // Who asks, as far as the request says; absent where it shows only the token.
  std::optional<UserId> user;
  // The queue token as sent, or empty. Where users are trusted, a user without a token is looked up by name.
  std::string token;
};

// Thread-safe.
class RequireAdmission {
 public:
  virtual ~RequireAdmission() = default;
  // The fan who is inside. Refuses: kPassRequired (no token, another room's, another user's, not entered, or no longer),
  // kTokenInvalid (forged or altered).
  virtual Task<Outcome<UserId>> operator()(AdmissionQuestion question, Time now) = 0;
};

}  // namespace maejin
