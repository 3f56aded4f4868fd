// SipHash-2-4 (Aumasson and Bernstein): a keyed hash, so that clients cannot choose texts that collide. It
// takes about 20 ns. For hash tables with external keys and for the rounds of the draw; signatures use
// base/crypto.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace maejin {

struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

std::uint64_t SipHash(const SipKey& key, std::string_view bytes);

struct SipHash128Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const SipHash128Value&, const SipHash128Value&) = default;
};
// The 128-bit variant, for which a collision among a billion users is practically impossible.
SipHash128Value SipHash128(const SipKey& key, std::string_view bytes);

}  // namespace maejin
