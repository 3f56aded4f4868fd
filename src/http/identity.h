// Who is asking: the operator's signed user token, or, where users are trusted, the name the request gives.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/jwt.h"
#include "domain/refusal.h"
#include "domain/words.h"
#include "server/request.h"

namespace maejin::http {

// Thread-safe.
class Identity {
 public:
  virtual ~Identity() = default;
  // `named`: a userId in the body, if the route takes one. Trusted: body, then X-User-Id. Signed: the `sub`
  // of the Bearer token; a userId in the body must then be the same. Refuses: kUnauthorized, kForbidden,
  // kInvalidField.
  virtual Outcome<UserId> Require(const Request& request,
                                  std::optional<std::string_view> named = {}) const = 0;
  // The same, or absent where the request names nobody at all (a fan who shows only a queue token).
  virtual Outcome<std::optional<UserId>> Find(const Request& request,
                                              std::optional<std::string_view> named = {}) const = 0;
  // Users name themselves (auth.users = "trusted").
  virtual bool trusted() const = 0;
};

// Users name themselves: `userId` in the body, or X-User-Id.
std::unique_ptr<Identity> MakeTrustedIdentity();
// Users are proven by the operator's JWT in Authorization: Bearer. `clock` outlives the result.
std::unique_ptr<Identity> MakeSignedIdentity(JwtVerifier verifier, const Clock& clock);

// 1…128 bytes, no control characters, valid UTF-8.
bool IsUserId(std::string_view text);

}  // namespace maejin::http
