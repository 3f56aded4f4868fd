// The user of a request: proven by the operator's signed user token, or, where users are trusted, named by
// the request.
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
  // `named`: the userId of the body or query, if the route takes one. Where users are trusted, the user is
  // `named`, else X-User-Id. Where users are signed, it is the `sub` of the Bearer token, and `named` must be
  // equal. Refuses: kUnauthorized, kForbidden, kInvalidField.
  virtual Outcome<UserId> Require(const Request& request,
                                  std::optional<std::string_view> named = {}) const = 0;
  // The same, or absent if the request names no user (it may show a queue token only).
  virtual Outcome<std::optional<UserId>> Find(const Request& request,
                                              std::optional<std::string_view> named = {}) const = 0;
  // auth.users = "trusted": the user that the request names is accepted without proof.
  virtual bool trusted() const = 0;
};

// The user is `userId` in the body, or X-User-Id.
std::unique_ptr<Identity> MakeTrustedIdentity();
// The user is the subject of the operator's JWT in Authorization: Bearer. `clock` outlives the result.
std::unique_ptr<Identity> MakeSignedIdentity(JwtVerifier verifier, const Clock& clock);

// The user of a request that also shows a queue token, to enter or to hold seats. Where users are signed the
// token alone is not enough: it may have been copied from another customer. Trusted: as Find(). Refuses: as
// Find(), kUnauthorized.
Outcome<std::optional<UserId>> FindBesideToken(const Identity& identity, const Request& request,
                                               std::optional<std::string_view> named = {});

// 1…128 bytes, no control characters, valid UTF-8.
bool IsUserId(std::string_view text);

}  // namespace maejin::http
