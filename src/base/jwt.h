// Checks the operator's signed user tokens (RFC 7519), as RFC 8725 asks: the algorithm belongs to the key,
// never to what the token says.
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

// A sentence for the maker of the token.
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

// Makes tokens that a verifier of the same secret accepts (HS256). Thread-safe.
class JwtSigner {
 public:
  // The secret as JwtVerifier::FromKey takes it; the error is a sentence for the operator.
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
  // One key: a public key in PEM (RSA → RS256, P-256 → ES256), or else a secret of at least 32 bytes (HS256;
  // a line end behind it does not count). The error is a sentence for the operator.
  static Result<JwtVerifier, std::string> FromKey(std::string_view text);
  // A JSON Web Key Set (RFC 7517). Keys of other kinds are passed over; none left is an error.
  static Result<JwtVerifier, std::string> FromJwks(std::string_view json);

  JwtVerifier(JwtVerifier&&) noexcept = default;
  JwtVerifier& operator=(JwtVerifier&&) noexcept = default;

  void Expect(JwtExpected expected) { expected_ = std::move(expected); }

  // `exp` is required: a token without an end would stay valid for ever once it leaks. `exp` and `nbf` are
  // honoured to the minute, so that clocks may differ a little; `sub` must be a text.
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
