// HmacSha256 uses the deprecated SHA256_CTX: the MACs of its successor EVP allocate, and threads cannot share
// them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/crypto.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "base/bytes.h"

namespace maejin {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::int8_t, 256> MakeValues() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr auto kValues = MakeValues();

// Aborts: the program cannot run without SHA-256.
void MustBeTrue(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

Digest Sha256(std::string_view bytes) {
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Digest digest;
  MustBeTrue(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, kSha256, nullptr) == 1);
  return digest;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

char* EncodeBase64Url(std::string_view bytes, char* out) {
  // Uses data(), because operator[] of the view checks the index, which takes a third of the loop's time.
  const auto byte = [in = bytes.data()](std::size_t at) -> std::uint32_t {
    return static_cast<unsigned char>(in[at]);
  };
  const auto put = [&](std::uint32_t bits) { *out++ = kAlphabet[bits & 63]; };
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3) {
    const auto bits = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    put(bits >> 18);
    put(bits >> 12);
    put(bits >> 6);
    put(bits);
  }
  if (const auto rest = bytes.size() - at; rest > 0) {
    const auto bits = byte(at) << 16 | (rest == 2 ? byte(at + 1) << 8 : 0);
    put(bits >> 18);
    put(bits >> 12);
    if (rest == 2) put(bits >> 6);
  }
  return out;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text((bytes.size() * 4 + 2) / 3, '\0');
  text.resize(static_cast<std::size_t>(EncodeBase64Url(bytes, text.data()) - text.data()));
  return text;
}

std::optional<std::size_t> DecodeBase64Url(std::string_view text, std::uint8_t* out, std::size_t capacity) {
  if (text.size() % 4 == 1 || text.size() * 3 / 4 > capacity) return {};
  const auto value = [in = text.data()](std::size_t at) -> std::int32_t {
    return kValues[static_cast<unsigned char>(in[at])];
  };
  const auto* const begin = out;
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4) {
    const auto bits = value(at) << 18 | value(at + 1) << 12 | value(at + 2) << 6 | value(at + 3);
    if (bits < 0) return {};  // a character outside of the alphabet has the value -1
    *out++ = static_cast<std::uint8_t>(bits >> 16);
    *out++ = static_cast<std::uint8_t>(bits >> 8);
    *out++ = static_cast<std::uint8_t>(bits);
  }
  if (const auto rest = text.size() - at; rest > 0) {
    const auto bits = value(at) << 12 | value(at + 1) << 6 | (rest == 3 ? value(at + 2) : 0);
    if (bits < 0 || (bits & (rest == 3 ? 0x3 : 0x3ff)) != 0) return {};
    *out++ = static_cast<std::uint8_t>(bits >> 10);
    if (rest == 3) *out++ = static_cast<std::uint8_t>(bits >> 2);
  }
  return static_cast<std::size_t>(out - begin);
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string bytes(text.size() * 3 / 4, '\0');
  const auto size = DecodeBase64Url(text, reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  if (!size) return {};
  bytes.resize(*size);
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  auto text = EncodeBase64Url(bytes);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

// HMAC first hashes two blocks that depend on the key alone. The constructor hashes them once, and every MAC
// continues from copies of that state. The state is read-only, so all threads share it.
struct HmacSha256::Contexts {
  Contexts() = default;
  ~Contexts() {
    OPENSSL_cleanse(&inner, sizeof inner);
    OPENSSL_cleanse(&outer, sizeof outer);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  SHA256_CTX inner;
  SHA256_CTX outer;
};

HmacSha256::HmacSha256(std::string_view key) : contexts_(std::make_unique<Contexts>()) {
  std::array<unsigned char, SHA256_CBLOCK> block{};
  if (key.size() > block.size()) {
    const auto shorter = Sha256(key);
    std::memcpy(block.data(), shorter.data(), shorter.size());
  } else if (!key.empty()) {
    std::memcpy(block.data(), key.data(), key.size());
  }
  const auto absorb = [&](SHA256_CTX& state, unsigned char pad) {
    auto padded = block;
    for (auto& byte : padded) byte ^= pad;
    MustBeTrue(SHA256_Init(&state) == 1 && SHA256_Update(&state, padded.data(), padded.size()) == 1);
    OPENSSL_cleanse(padded.data(), padded.size());
  };
  absorb(contexts_->inner, 0x36);
  absorb(contexts_->outer, 0x5c);
  OPENSSL_cleanse(block.data(), block.size());
}

HmacSha256::~HmacSha256() = default;
HmacSha256::HmacSha256(HmacSha256&&) noexcept = default;
HmacSha256& HmacSha256::operator=(HmacSha256&&) noexcept = default;

Digest HmacSha256::Mac(std::string_view bytes) const {
  Digest mac;
  auto inner = contexts_->inner;
  MustBeTrue(SHA256_Update(&inner, bytes.data(), bytes.size()) == 1 && SHA256_Final(mac.data(), &inner) == 1);
  auto outer = contexts_->outer;
  MustBeTrue(SHA256_Update(&outer, mac.data(), mac.size()) == 1 && SHA256_Final(mac.data(), &outer) == 1);
  return mac;
}

bool HmacSha256::Verify(std::string_view bytes, std::string_view mac) const {
  const auto right = Mac(bytes);
  if (mac.size() < 16 || mac.size() > right.size()) return false;
  return EqualInConstantTime(AsText(right).substr(0, mac.size()), mac);
}

}  // namespace maejin
