#include "base/jwt.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace maejin {
namespace {

namespace json = boost::json;

constexpr auto kLeeway = Seconds{60};
constexpr std::size_t kLeastSecret = 32;
constexpr std::size_t kLongestToken = 8 * 1024;
constexpr std::size_t kDepth = 8;

std::optional<json::object> ParseObject(std::string_view text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kDepth;
  auto value = json::parse(text, error, {}, options);
  if (error || !value.is_object()) return {};
  return std::move(value.get_object());
}

std::optional<json::object> DecodeObject(std::string_view part) {
  const auto text = DecodeBase64Url(part);
  if (!text) return {};
  return ParseObject(*text);
}

// Absent where the member is missing or not a text.
std::optional<std::string_view> TextOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string_view(value->get_string().data(), value->get_string().size());
}

struct Instant {
  bool broken = false;
  std::optional<Time> at;
};
// NumericDate: seconds, possibly with a fraction.
Instant InstantOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value) return {};
  boost::system::error_code error;
  const double seconds = value->is_number() ? value->to_number<double>(error) : -1;
  constexpr double kLatest = 253402300799;  // the year 9999
  if (error || seconds < 0 || seconds > kLatest) return {true, {}};
  return {false, TimeFromMillis(static_cast<std::int64_t>(seconds * 1000))};
}

bool IsPem(std::string_view text) { return text.find("-----BEGIN") != std::string_view::npos; }

// Null: too short.
std::unique_ptr<HmacSha256> SecretIn(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text.size() < kLeastSecret ? nullptr : std::make_unique<HmacSha256>(text);
}

// `aud` is one text or a list of them (RFC 7519, 4.1.3).
bool HasAudience(const json::object& object, std::string_view wanted) {
  const auto* value = object.if_contains("aud");
  if (!value) return false;
  const auto same = [wanted](const json::value& one) {
    return one.is_string() && one.get_string() == wanted;
  };
  if (!value->is_array()) return same(*value);
  return std::any_of(value->get_array().begin(), value->get_array().end(), same);
}

struct Parts {
  std::string_view header;
  std::string_view payload;
  std::string_view signature;
  std::string_view message;
};
std::optional<Parts> Split(std::string_view token) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  if (token.size() > kLongestToken || first == std::string_view::npos || first == last) return {};
  const auto payload = token.substr(first + 1, last - first - 1);
  if (payload.find('.') != std::string_view::npos) return {};
  return Parts{token.substr(0, first), payload, token.substr(last + 1), token.substr(0, last)};
}

}  // namespace

std::string_view Describe(JwtFailure failure) {
  switch (failure) {
    case JwtFailure::kMalformed:
      return "the user token is not a JWT";
    case JwtFailure::kUnknownKey:
      return "the user token is signed with a key or algorithm that is not configured";
    case JwtFailure::kBadSignature:
      return "the user token's signature is wrong";
    case JwtFailure::kExpired:
      return "the user token has expired";
    case JwtFailure::kNotYetValid:
      return "the user token is not valid yet";
    case JwtFailure::kNoSubject:
      return "the user token has no subject (sub)";
    case JwtFailure::kNoExpiry:
      return "the user token has no expiry (exp)";
    case JwtFailure::kWrongIssuer:
      return "the user token has another issuer (iss)";
    case JwtFailure::kWrongAudience:
      return "the user token is for another audience (aud)";
  }
  return "the user token is refused";
}

std::string_view JwtVerifier::Key::algorithm() const {
  if (secret) return "HS256";
  return open->algorithm() == VerifyKey::Algorithm::kEs256 ? "ES256" : "RS256";
}

bool JwtVerifier::Key::Accepts(std::string_view message, std::string_view signature) const {
  if (secret) return signature.size() == sizeof(Digest) && secret->Verify(message, signature);
  return open->Verify(message, signature);
}

Result<JwtSigner, std::string> JwtSigner::FromSecret(std::string_view text) {
  auto secret = IsPem(text) ? nullptr : SecretIn(text);
  if (!secret) return std::string("the key must be a secret of at least 32 bytes; a public key cannot sign");
  return JwtSigner(std::move(secret));
}

std::string JwtSigner::Sign(std::string_view claims) const {
  const auto message = EncodeBase64Url(R"({"alg":"HS256","typ":"JWT"})") + '.' + EncodeBase64Url(claims);
  return message + '.' + EncodeBase64Url(AsText(secret_->Mac(message)));
}

Result<JwtVerifier, std::string> JwtVerifier::FromKey(std::string_view text) {
  JwtVerifier verifier;
  Key key;
  if (IsPem(text)) {
    key.open = VerifyKey::FromPem(text);
    if (!key.open) return std::string("the key must be a public RSA (2048 bits or more) or P-256 key in PEM");
  } else {
    key.secret = SecretIn(text);
    if (!key.secret) return std::string("the secret must be at least 32 bytes long");
  }
  verifier.keys_.push_back(std::move(key));
  return verifier;
}

Result<JwtVerifier, std::string> JwtVerifier::FromJwks(std::string_view text) {
  const auto set = ParseObject(text);
  const auto* keys = set ? set->if_contains("keys") : nullptr;
  if (!keys || !keys->is_array()) return std::string("the text is not a JSON Web Key Set");
  JwtVerifier verifier;
  for (const auto& element : keys->get_array()) {
    if (!element.is_object()) continue;
    const auto& jwk = element.get_object();
    if (TextOf(jwk, "use").value_or("sig") != "sig") continue;
    const auto kind = TextOf(jwk, "kty").value_or("");
    const auto member = [&](std::string_view name) { return TextOf(jwk, name).value_or(""); };
    Key key;
    key.id = member("kid");
    if (kind == "EC") key.open = VerifyKey::FromEcPoint(member("x"), member("y"));
    if (kind == "RSA") key.open = VerifyKey::FromRsa(member("n"), member("e"));
    if (kind == "oct") {
      const auto secret = DecodeBase64Url(member("k"));
      if (secret && secret->size() >= kLeastSecret) key.secret = std::make_unique<HmacSha256>(*secret);
    }
    if (!key.open && !key.secret) continue;
    // `alg`, if present, must be the algorithm of the key's kind.
    if (TextOf(jwk, "alg").value_or(key.algorithm()) != key.algorithm()) continue;
    verifier.keys_.push_back(std::move(key));
  }
  if (verifier.keys_.empty()) return std::string("the key set holds no key for ES256, RS256 or HS256");
  return verifier;
}

const JwtVerifier::Key* JwtVerifier::Find(std::string_view algorithm,
                                          std::optional<std::string_view> id) const {
  const Key* found = nullptr;
  for (const auto& key : keys_) {
    if (key.algorithm() != algorithm) continue;
    if (id && !key.id.empty()) {
      if (key.id == *id) return &key;
      continue;
    }
    if (found) return nullptr;  // ambiguous: two keys match
    found = &key;
  }
  return found;
}

Result<JwtClaims, JwtFailure> JwtVerifier::Verify(std::string_view token, Time now) const {
  const auto parts = Split(token);
  if (!parts) return JwtFailure::kMalformed;
  const auto header = DecodeObject(parts->header);
  const auto signature = DecodeBase64Url(parts->signature);
  if (!header || !signature || header->contains("crit")) return JwtFailure::kMalformed;
  const auto* key = Find(TextOf(*header, "alg").value_or(""), TextOf(*header, "kid"));
  if (!key) return JwtFailure::kUnknownKey;
  if (!key->Accepts(parts->message, *signature)) return JwtFailure::kBadSignature;
  const auto payload = DecodeObject(parts->payload);
  if (!payload) return JwtFailure::kMalformed;
  const auto expires = InstantOf(*payload, "exp");
  const auto begins = InstantOf(*payload, "nbf");
  if (expires.broken || begins.broken) return JwtFailure::kMalformed;
  if (!expires.at) return JwtFailure::kNoExpiry;
  if (now >= *expires.at + kLeeway) return JwtFailure::kExpired;
  if (begins.at && now + kLeeway < *begins.at) return JwtFailure::kNotYetValid;
  if (!expected_.issuer.empty() && TextOf(*payload, "iss") != expected_.issuer)
    return JwtFailure::kWrongIssuer;
  if (!expected_.audience.empty() && !HasAudience(*payload, expected_.audience))
    return JwtFailure::kWrongAudience;
  const auto subject = TextOf(*payload, "sub");
  if (!subject || subject->empty()) return JwtFailure::kNoSubject;
  return JwtClaims{std::string(*subject), *expires.at};
}

}  // namespace maejin
