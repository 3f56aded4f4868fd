// Verifies the operator's signed user tokens (RFC 7519). The key decides the algorithm, never the token
// (RFC 8725).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "base/time.h"

namespace maejin {

enum class JwtFailure : std::uint8_t {
  kMalformed,
  kUnknownKey,
  kBadSignature,
  kExpired,
  kNotYetValid,
  kNoSubject,
  kNoExpiry,
  kWrongIssuer,
  kWrongAudience
};

// A text for the token's author.
std::string_view Describe(JwtFailure failure);

struct JwtClaims {
  std::string subject;
  Time expires_at;
};

// What a token must say beside its signature. Empty: not checked.
struct JwtExpected {
  std::string issuer;    // `iss`
  std::string audience;  // `aud`, or one of its texts
};

// Signs tokens for a verifier of the same secret (HS256). Thread-safe.
class JwtSigner {
 public:
  // The secret as JwtVerifier::FromKey takes it. The error is a text for the operator.
  static Result<JwtSigner, std::string> FromSecret(std::string_view text);

  // `claims`: a JSON object.
  std::string Sign(std::string_view claims) const;

 private:
  explicit JwtSigner(std::unique_ptr<HmacSha256> secret) : secret_(std::move(secret)) {}

  std::unique_ptr<HmacSha256> secret_;
};

// Thread-safe.
class JwtVerifier {
 public:
  // A public key in PEM (RSA → RS256, P-256 → ES256), or else a secret of at least 32 bytes (HS256). A line
  // break at the end of the secret is removed. The error is a text for the operator.
  static Result<JwtVerifier, std::string> FromKey(std::string_view text);
  // A JSON Web Key Set (RFC 7517). Keys of other kinds are skipped; a set without a usable key is an error.
  static Result<JwtVerifier, std::string> FromJwks(std::string_view json);

  JwtVerifier(JwtVerifier&&) noexcept = default;
  JwtVerifier& operator=(JwtVerifier&&) noexcept = default;

  void Expect(JwtExpected expected) { expected_ = std::move(expected); }

  // `exp` is required: a leaked token without an expiry would stay valid for ever. `exp` and `nbf` allow one
  // minute of clock skew; `sub` must be a text.
  Result<JwtClaims, JwtFailure> Verify(std::string_view token, Time now) const;

 private:
  struct Key {
    std::string id;  // empty: none
    std::optional<VerifyKey> open;
    std::unique_ptr<HmacSha256> secret;

    std::string_view algorithm() const;
    bool Accepts(std::string_view message, std::string_view signature) const;
  };
  JwtVerifier() = default;
  const Key* Find(std::string_view algorithm, std::optional<std::string_view> id) const;

  std::vector<Key> keys_;
  JwtExpected expected_;
};

}  // namespace maejin
