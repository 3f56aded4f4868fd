#include "base/crypto.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

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

// A machine on which SHA-256 fails has no way on.
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
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) *out++ = kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) *out++ = kAlphabet[bits << (6 - count) & 63];
  return out;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text((bytes.size() * 4 + 2) / 3, '\0');
  text.resize(static_cast<std::size_t>(EncodeBase64Url(bytes, text.data()) - text.data()));
  return text;
}

std::optional<std::size_t> DecodeBase64Url(std::string_view text, std::uint8_t* out, std::size_t capacity) {
  if (text.size() % 4 == 1 || text.size() * 3 / 4 > capacity) return {};
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t written = 0;
  for (const char c : text) {
    const auto value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out[written++] = static_cast<std::uint8_t>(bits >> count);
    }
  }
  if ((bits & ((1U << count) - 1)) != 0) return {};
  return written;
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string bytes(text.size() * 3 / 4, '\0');
  const auto size = DecodeBase64Url(text, reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  if (!size) return {};
  bytes.resize(*size);
  return bytes;
}

// An EVP_MAC context serves one thread at a time, so a key keeps a few; a thread begins to look for a free
// one at a place of its own and nearly always finds it free.
struct HmacSha256::Contexts {
  static constexpr std::size_t kCount = 8;
  struct alignas(64) Slot {
    std::atomic_flag taken;
    EVP_MAC_CTX* context = nullptr;
  };
  std::array<Slot, kCount> slots;

  ~Contexts() {
    for (auto& slot : slots) EVP_MAC_CTX_free(slot.context);
  }
  Slot& Take() {
    thread_local const auto start = std::hash<std::thread::id>{}(std::this_thread::get_id()) >> 4;
    for (auto i = start;; ++i) {
      auto& slot = slots[i % kCount];
      if (!slot.taken.test_and_set(std::memory_order_acquire)) return slot;
    }
  }
};

HmacSha256::HmacSha256(std::string_view key) : contexts_(std::make_unique<Contexts>()) {
  static EVP_MAC* const kHmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                               OSSL_PARAM_construct_end()};
  for (auto& slot : contexts_->slots) {
    slot.context = EVP_MAC_CTX_new(kHmac);
    // An empty key is a key too, but a null pointer would mean "keep the old one".
    MustBeTrue(EVP_MAC_init(slot.context, key.empty() ? Bytes("") : Bytes(key), key.size(), params) == 1);
  }
}

HmacSha256::~HmacSha256() = default;
HmacSha256::HmacSha256(HmacSha256&&) noexcept = default;
HmacSha256& HmacSha256::operator=(HmacSha256&&) noexcept = default;

Digest HmacSha256::Mac(std::string_view bytes) const {
  auto& slot = contexts_->Take();
  Digest mac;
  std::size_t size = 0;
  MustBeTrue(EVP_MAC_init(slot.context, nullptr, 0, nullptr) == 1 &&
             EVP_MAC_update(slot.context, Bytes(bytes), bytes.size()) == 1 &&
             EVP_MAC_final(slot.context, mac.data(), &size, mac.size()) == 1);
  slot.taken.clear(std::memory_order_release);
  return mac;
}

bool HmacSha256::Verify(std::string_view bytes, std::string_view mac) const {
  const auto right = Mac(bytes);
  if (mac.size() < 16 || mac.size() > right.size()) return false;
  return EqualInConstantTime(AsText(right).substr(0, mac.size()), mac);
}

}  // namespace maejin
