// The provably fair draw of a pre-queue: a keyed permutation of the numbers that were handed out in it.
//
// The hash of a secret seed is published when the pre-queue begins, before any number is given; the seed is
// published after the opening. With both, `maejin verify-shuffle` recomputes every position: the seed was not
// chosen to favour a number. A permutation instead of a list needs no memory, and both directions are cheap.
//
// Algorithm "maejin-shuffle-1": a Feistel network of 8 rounds on the smallest even number of bits that holds
// `count`, applied again while the result is not below `count` (cycle walking). Round r of half h is
// SipHash-2-4 of the 5 bytes r, h (little-endian), keyed with the first 16 bytes of
// SHA-256("maejin-shuffle-1" || seed).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/siphash.h"

namespace maejin {

inline constexpr std::string_view kShuffleAlgorithm = "maejin-shuffle-1";
using ShuffleSeed = std::array<std::uint8_t, 32>;

// Lower-case hexadecimal SHA-256 of the seed, published in advance.
std::string Commitment(const ShuffleSeed& seed);

class Shuffle {
 public:
  // A permutation of 0 … count - 1.
  Shuffle(const ShuffleSeed& seed, std::uint32_t count);

  std::uint32_t count() const { return count_; }
  // The position of the `arrival`-th join of the pre-queue, and its inverse. Both are 0-based, below count.
  std::uint32_t PositionOf(std::uint32_t arrival) const;
  std::uint32_t ArrivalAt(std::uint32_t position) const;

 private:
  std::uint32_t Round(std::uint8_t round, std::uint32_t half) const;
  std::uint32_t Forward(std::uint32_t value) const;
  std::uint32_t Backward(std::uint32_t value) const;

  SipKey key_;
  std::uint32_t count_;
  unsigned half_bits_;
};

// The positions of all arrivals in order, four little-endian bytes each.
std::string OrderBytes(const Shuffle& shuffle);
// SHA-256 of OrderBytes() in hexadecimal. Published as the digest of the whole order.
std::string OrderDigest(const Shuffle& shuffle);

}  // namespace maejin
