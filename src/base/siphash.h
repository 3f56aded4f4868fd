// SipHash-2-4 (Aumasson and Bernstein): a keyed hash that strangers cannot steer, in about 20 ns. For tables
// keyed by what comes from outside and for the rounds of the shuffle; signatures use base/crypto.h.
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
// The 128-bit variant: no two of a billion users collide.
SipHash128Value SipHash128(const SipKey& key, std::string_view bytes);

}  // namespace maejin
