// Keys for signatures, and the conversion between OpenSSL's DER and the r || s of a JWS.
//
// Signing uses EC_KEY. OpenSSL 3 prefers EVP, but EVP looks the algorithm up for every signature and writes
// DER that must be parsed again. Both take a fifth of the time of a signature.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include "base/bytes.h"
#include "base/crypto.h"

namespace maejin {
namespace {

constexpr std::size_t kCoordinate = 32;
constexpr int kLeastRsaBits = 2048;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

using Bio = Owned<BIO, BIO_free>;
using EcKey = Owned<EC_KEY, EC_KEY_free>;
using Number = Owned<BIGNUM, BN_free>;
using Context = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using KeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using Signature = Owned<ECDSA_SIG, ECDSA_SIG_free>;
using Builder = Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Owned<OSSL_PARAM, OSSL_PARAM_free>;

std::shared_ptr<EVP_PKEY> Share(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

Bio Reader(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// Never prompts for a pass phrase on a terminal.
int NoPassPhrase(char*, int, int, void*) { return -1; }

bool IsP256(EVP_PKEY* key) {
  char group[32];
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, nullptr) == 1 &&
         std::string_view(group) == "prime256v1";
}

std::string Coordinate(EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) std::abort();
  const Number number(raw);
  std::string bytes(kCoordinate, '\0');
  BN_bn2binpad(raw, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(kCoordinate));
  return bytes;
}

std::shared_ptr<EVP_PKEY> FromParams(const char* kind, OSSL_PARAM* params) {
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    return nullptr;
  }
  return Share(key);
}

// r || s → DER; empty unless it is exactly 64 bytes.
std::vector<unsigned char> ToDer(std::string_view raw) {
  if (raw.size() != 2 * kCoordinate) return {};
  const Signature signature(ECDSA_SIG_new());
  const int half = static_cast<int>(kCoordinate);
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(Bytes(raw), half, nullptr),
                 BN_bin2bn(Bytes(raw) + kCoordinate, half, nullptr));
  const int size = i2d_ECDSA_SIG(signature.get(), nullptr);
  if (size <= 0) return {};
  // Writes into a vector: with memory of OpenSSL, the macro OPENSSL_free would put this file's path into the
  // program.
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  unsigned char* end = bytes.data();
  i2d_ECDSA_SIG(signature.get(), &end);
  return bytes;
}

}  // namespace

std::optional<VerifyKey> VerifyKey::Checked(std::shared_ptr<EVP_PKEY> key) {
  if (!key) return {};
  if (IsP256(key.get())) return VerifyKey(std::move(key), Algorithm::kEs256);
  if (EVP_PKEY_is_a(key.get(), "RSA") == 1 && EVP_PKEY_get_bits(key.get()) >= kLeastRsaBits) {
    return VerifyKey(std::move(key), Algorithm::kRs256);
  }
  return {};
}

std::optional<VerifyKey> VerifyKey::FromPem(std::string_view pem) {
  return Checked(Share(PEM_read_bio_PUBKEY(Reader(pem).get(), nullptr, NoPassPhrase, nullptr)));
}

std::optional<VerifyKey> VerifyKey::FromEcPoint(std::string_view x, std::string_view y) {
  const auto x_bytes = DecodeBase64Url(x);
  const auto y_bytes = DecodeBase64Url(y);
  if (!x_bytes || !y_bytes || x_bytes->size() != kCoordinate || y_bytes->size() != kCoordinate) return {};
  const auto point = '\x04' + *x_bytes + *y_bytes;
  const Builder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  return Checked(FromParams("EC", params.get()));
}

std::optional<VerifyKey> VerifyKey::FromRsa(std::string_view modulus, std::string_view exponent) {
  const auto n_bytes = DecodeBase64Url(modulus);
  const auto e_bytes = DecodeBase64Url(exponent);
  if (!n_bytes || !e_bytes || n_bytes->empty() || e_bytes->empty()) return {};
  const Number n(BN_bin2bn(Bytes(*n_bytes), static_cast<int>(n_bytes->size()), nullptr));
  const Number e(BN_bin2bn(Bytes(*e_bytes), static_cast<int>(e_bytes->size()), nullptr));
  const Builder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  return Checked(FromParams("RSA", params.get()));
}

bool VerifyKey::Verify(std::string_view message, std::string_view signature) const {
  std::vector<unsigned char> der;
  const unsigned char* at = Bytes(signature);
  std::size_t size = signature.size();
  if (algorithm_ == Algorithm::kEs256) {
    der = ToDer(signature);
    if (der.empty()) return false;
    at = der.data();
    size = der.size();
  }
  const Context context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), at, size, Bytes(message), message.size()) == 1;
}

std::string VerifyKey::x() const { return Coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X); }
std::string VerifyKey::y() const { return Coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y); }

std::string VerifyKey::ToJwk() const {
  return fmt::format(R"({{"kty":"EC","crv":"P-256","x":"{}","y":"{}","alg":"ES256","use":"sig","kid":"{}"}})",
                     EncodeBase64Url(x()), EncodeBase64Url(y()), KeyId());
}

std::string VerifyKey::KeyId() const {
  const auto members = fmt::format(R"({{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}})", EncodeBase64Url(x()),
                                   EncodeBase64Url(y()));
  return EncodeBase64Url(AsText(Sha256(members)));
}

SigningKey SigningKey::Generate() {
  auto* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  if (!key) std::abort();
  return SigningKey(Share(key));
}

std::optional<SigningKey> SigningKey::FromPem(std::string_view pem) {
  auto key = Share(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, NoPassPhrase, nullptr));
  if (!key || !IsP256(key.get())) return {};
  return SigningKey(std::move(key));
}

std::string SigningKey::ToPem() const {
  const Bio out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(out.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    std::abort();
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string SigningKey::Sign(std::string_view message) const {
  const auto digest = Sha256(message);
  const EcKey key(EVP_PKEY_get1_EC_KEY(key_.get()));
  const Signature signature(key ? ECDSA_do_sign(digest.data(), static_cast<int>(digest.size()), key.get())
                                : nullptr);
  if (!signature) std::abort();
  std::string raw(2 * kCoordinate, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, static_cast<int>(kCoordinate));
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kCoordinate, static_cast<int>(kCoordinate));
  return raw;
}

}  // namespace maejin
