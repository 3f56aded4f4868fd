#include "http/identity.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestUserId = 128;

class TrustedIdentity final : public Identity {
 public:
  Outcome<UserId> Require(const Request& request, std::optional<std::string_view> named) const override {
    auto found = Find(request, named);
    if (!found.ok()) return found.error();
    if (!*found) return Refused{Refusal::kUnauthorized, "userId or X-User-Id is required"};
    return std::move(**found);
  }

  Outcome<std::optional<UserId>> Find(const Request& request,
                                      std::optional<std::string_view> named) const override {
    const auto header = request.Header("X-User-Id");
    if (named) {
      if (!IsUserId(*named)) return Refused{Refusal::kInvalidField, "userId: must be 1…128 printable bytes"};
      if (!header.empty() && header != *named)
        return Refused{Refusal::kInvalidField, "userId: differs from X-User-Id"};
      return std::optional<UserId>(*named);
    }
    if (header.empty()) return std::optional<UserId>{};
    if (!IsUserId(header)) return Refused{Refusal::kInvalidField, "X-User-Id: must be 1…128 printable bytes"};
    return std::optional<UserId>(header);
  }

  bool trusted() const override { return true; }
};

}  // namespace

bool IsUserId(std::string_view text) {
  if (text.empty() || text.size() > kLongestUserId || !IsUtf8(text)) return false;
  return std::ranges::none_of(text, IsControl);
}

Outcome<std::optional<UserId>> FindBesideToken(const Identity& identity, const Request& request,
                                               std::optional<std::string_view> named) {
  if (identity.trusted()) return identity.Find(request, named);
  auto user = identity.Require(request, named);
  if (!user.ok()) return user.error();
  return std::optional<UserId>(std::move(*user));
}

std::unique_ptr<Identity> MakeTrustedIdentity() { return std::make_unique<TrustedIdentity>(); }

}  // namespace maejin::http
