// Hashes, MACs and signatures on OpenSSL, which stays behind this header. Thread-safe unless stated
// otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_pkey_st;  // EVP_PKEY

namespace maejin {

using Digest = std::array<std::uint8_t, 32>;

inline std::string_view AsText(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Digest Sha256(std::string_view bytes);

// The time does not depend on where two texts of equal length differ. Texts of different lengths are unequal
// at once.
bool EqualInConstantTime(std::string_view a, std::string_view b);

// Base64 in the URL alphabet without padding (RFC 4648, 5). Decoding is strict: absent for any other
// character, for padding, and for unused bits that are not zero. So each value has exactly one text.
std::string EncodeBase64Url(std::string_view bytes);
std::optional<std::string> DecodeBase64Url(std::string_view text);
// Without allocation: `out` must hold (bytes.size() * 4 + 2) / 3 characters; returns the end.
char* EncodeBase64Url(std::string_view bytes, char* out);
// Without allocation: the number of bytes written to `out` (at most `capacity`), or absent as above.
std::optional<std::size_t> DecodeBase64Url(std::string_view text, std::uint8_t* out, std::size_t capacity);

// Base64 in the standard alphabet with padding (RFC 4648, 4).
std::string EncodeBase64(std::string_view bytes);

// HMAC-SHA-256 with one key, prepared once: a MAC of a short text takes a quarter of a microsecond and does
// not allocate.
class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);
  ~HmacSha256();
  HmacSha256(HmacSha256&&) noexcept;
  HmacSha256& operator=(HmacSha256&&) noexcept;

  Digest Mac(std::string_view bytes) const;
  // In constant time. `mac` may be a prefix of at least 16 bytes: a truncated MAC.
  bool Verify(std::string_view bytes, std::string_view mac) const;

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

// A public key that checks signatures of one algorithm. The kind of key decides the algorithm, never the
// signed text (RFC 8725): P-256 → ES256, RSA of at least 2048 bits → RS256.
class VerifyKey {
 public:
  enum class Algorithm : std::uint8_t { kEs256, kRs256 };

  // A public key in PEM (SubjectPublicKeyInfo). Absent for any other kind of key or text.
  static std::optional<VerifyKey> FromPem(std::string_view pem);
  // From the members of a JWK, still in base64url.
  static std::optional<VerifyKey> FromEcPoint(std::string_view x, std::string_view y);
  static std::optional<VerifyKey> FromRsa(std::string_view modulus, std::string_view exponent);

  Algorithm algorithm() const { return algorithm_; }
  // `signature` as in a JWS: for ES256 the 64 bytes r || s.
  bool Verify(std::string_view message, std::string_view signature) const;

  // kEs256 only. The point's coordinates, 32 bytes each.
  std::string x() const;
  std::string y() const;
  // kEs256 only. {"kty":"EC","crv":"P-256","x":…,"y":…,"alg":"ES256","use":"sig","kid":…}
  std::string ToJwk() const;
  // kEs256 only. The key id: the JWK thumbprint of RFC 7638.
  std::string KeyId() const;

 private:
  friend class SigningKey;
  VerifyKey(std::shared_ptr<evp_pkey_st> key, Algorithm algorithm)
      : key_(std::move(key)), algorithm_(algorithm) {}
  static std::optional<VerifyKey> Checked(std::shared_ptr<evp_pkey_st> key);

  std::shared_ptr<evp_pkey_st> key_;
  Algorithm algorithm_;
};

// A private key on P-256 that signs with ES256.
class SigningKey {
 public:
  static SigningKey Generate();
  // A private key in PEM (PKCS #8 or SEC 1), without a pass phrase. Absent unless it is on P-256.
  static std::optional<SigningKey> FromPem(std::string_view pem);

  // PKCS #8. Keep it in a file of mode 0600.
  std::string ToPem() const;
  // 64 bytes r || s, as in a JWS.
  std::string Sign(std::string_view message) const;
  VerifyKey PublicKey() const { return {key_, VerifyKey::Algorithm::kEs256}; }
  std::string KeyId() const { return PublicKey().KeyId(); }

 private:
  explicit SigningKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace maejin
