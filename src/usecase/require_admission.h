// Checks that a caller may hold seats: it needs a token of the concert's room, and an admission.
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
  // The authenticated user of the request; absent if it carries only a token.
  std::optional<UserId> user;
  // The queue token as sent, or empty.
  std::string token;
};

// Thread-safe.
class RequireAdmission {
 public:
  virtual ~RequireAdmission() = default;
  // The admitted user. Refuses: kPassRequired (no token, a token of another room or user, or not admitted),
  // kTokenInvalid (forged or altered), kUnavailable.
  virtual Task<Outcome<UserId>> operator()(AdmissionQuestion question, Time now) = 0;
};

}  // namespace maejin
