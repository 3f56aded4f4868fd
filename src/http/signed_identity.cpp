// Verifies the operator's signed user tokens.
#include <array>
#include <mutex>

#include "base/crypto.h"
#include "http/identity.h"
#include "server/admin_key.h"

namespace maejin::http {
namespace {

// A cache of verified tokens by digest: a fan polls with the same token, and an ES256 check costs more than
// the rest of a poll. Thread-safe.
class VerifiedTokens {
 public:
  std::optional<std::string> Find(const Digest& digest, Time now) {
    auto& shard = ShardOf(digest);
    const std::lock_guard lock(shard.mutex);
    const auto& entry = EntryOf(shard, digest);
    if (entry.digest != digest || entry.subject.empty() || now >= entry.until) return {};
    return entry.subject;
  }
  void Add(const Digest& digest, const JwtClaims& claims, Time now) {
    // An entry is trusted for kTrustedFor at most; then the token is verified again.
    const auto until = std::min(now + kTrustedFor, claims.expires_at);
    auto& shard = ShardOf(digest);
    const std::lock_guard lock(shard.mutex);
    EntryOf(shard, digest) = {digest, claims.subject, until};
  }

 private:
  static constexpr auto kTrustedFor = Seconds{60};
  struct Entry {
    Digest digest{};
    std::string subject;
    Time until;
  };
  struct Shard {
    std::mutex mutex;
    std::array<Entry, 1024> entries;
  };
  Shard& ShardOf(const Digest& digest) { return shards_[digest[0] % shards_.size()]; }
  static Entry& EntryOf(Shard& shard, const Digest& digest) {
    return shard.entries[(std::size_t{digest[1]} << 8 | digest[2]) % shard.entries.size()];
  }

  std::array<Shard, 16> shards_;
};

class SignedIdentity final : public Identity {
 public:
  SignedIdentity(JwtVerifier verifier, const Clock& clock) : verifier_(std::move(verifier)), clock_(clock) {}

  Outcome<UserId> Require(const Request& request, std::optional<std::string_view> named) const override {
    auto found = Find(request, named);
    if (!found.ok()) return found.error();
    if (!*found) return Refused{Refusal::kUnauthorized, "a user token is required: Authorization: Bearer"};
    return std::move(**found);
  }

  Outcome<std::optional<UserId>> Find(const Request& request,
                                      std::optional<std::string_view> named) const override {
    const auto authorization = request.Header("Authorization");
    if (authorization.empty()) {
      // A user that the request names without proof is not accepted.
      if (named) return Refused{Refusal::kUnauthorized, "a user token is required: Authorization: Bearer"};
      return std::optional<UserId>{};
    }
    auto subject = Verify(BearerToken(authorization));
    if (!subject.ok()) return Refused{Refusal::kUnauthorized, std::string(Describe(subject.error()))};
    if (!IsUserId(*subject)) return Refused{Refusal::kUnauthorized, "sub must be 1…128 printable bytes"};
    if (named && *named != *subject)
      return Refused{Refusal::kForbidden, "userId differs from the token's user"};
    return std::optional<UserId>(std::move(*subject));
  }

  bool trusted() const override { return false; }

 private:
  Result<std::string, JwtFailure> Verify(std::string_view token) const {
    const auto now = clock_.Now();
    const auto digest = Sha256(token);
    if (auto known = verified_->Find(digest, now)) return std::move(*known);
    auto claims = verifier_.Verify(token, now);
    if (!claims.ok()) return claims.error();
    verified_->Add(digest, *claims, now);
    return std::move(claims->subject);
  }

  JwtVerifier verifier_;
  const Clock& clock_;
  std::unique_ptr<VerifiedTokens> verified_ = std::make_unique<VerifiedTokens>();
};

}  // namespace

std::unique_ptr<Identity> MakeSignedIdentity(JwtVerifier verifier, const Clock& clock) {
  return std::make_unique<SignedIdentity>(std::move(verifier), clock);
}

}  // namespace maejin::http
