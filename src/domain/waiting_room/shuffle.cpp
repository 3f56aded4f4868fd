#include "domain/waiting_room/shuffle.h"

#include <bit>
#include <cstring>

#include "base/crypto.h"
#include "base/hex.h"

namespace maejin {
namespace {

constexpr std::uint8_t kRounds = 8;

std::string_view AsBytes(const ShuffleSeed& seed) {
  return {reinterpret_cast<const char*>(seed.data()), seed.size()};
}

SipKey KeyOf(const ShuffleSeed& seed) {
  std::string input(kShuffleAlgorithm);
  input += AsBytes(seed);
  const auto digest = Sha256(input);
  SipKey key;
  std::memcpy(&key.k0, digest.data(), 8);
  std::memcpy(&key.k1, digest.data() + 8, 8);
  return key;
}

}  // namespace

std::string Commitment(const ShuffleSeed& seed) { return HexText(AsText(Sha256(AsBytes(seed)))); }

Shuffle::Shuffle(const ShuffleSeed& seed, std::uint32_t count) : key_(KeyOf(seed)), count_(count) {
  const auto bits = count < 2 ? 2U : static_cast<unsigned>(std::bit_width(count - 1));
  half_bits_ = (bits + 1) / 2;
}

std::uint32_t Shuffle::Round(std::uint8_t round, std::uint32_t half) const {
  char bytes[5];
  bytes[0] = static_cast<char>(round);
  std::memcpy(bytes + 1, &half, 4);
  const auto mask = (std::uint64_t{1} << half_bits_) - 1;
  return static_cast<std::uint32_t>(SipHash(key_, {bytes, sizeof bytes}) & mask);
}

std::uint32_t Shuffle::Forward(std::uint32_t value) const {
  auto left = static_cast<std::uint32_t>(std::uint64_t{value} >> half_bits_);
  auto right = static_cast<std::uint32_t>(value & ((std::uint64_t{1} << half_bits_) - 1));
  for (std::uint8_t round = 0; round < kRounds; ++round) {
    const auto next = left ^ Round(round, right);
    left = right;
    right = next;
  }
  return static_cast<std::uint32_t>(std::uint64_t{left} << half_bits_ | right);
}

std::uint32_t Shuffle::Backward(std::uint32_t value) const {
  auto left = static_cast<std::uint32_t>(std::uint64_t{value} >> half_bits_);
  auto right = static_cast<std::uint32_t>(value & ((std::uint64_t{1} << half_bits_) - 1));
  for (std::uint8_t round = kRounds; round-- > 0;) {
    const auto next = right ^ Round(round, left);
    right = left;
    left = next;
  }
  return static_cast<std::uint32_t>(std::uint64_t{left} << half_bits_ | right);
}

std::uint32_t Shuffle::PositionOf(std::uint32_t arrival) const {
  auto value = Forward(arrival);
  while (value >= count_) value = Forward(value);
  return value;
}

std::uint32_t Shuffle::ArrivalAt(std::uint32_t position) const {
  auto value = Backward(position);
  while (value >= count_) value = Backward(value);
  return value;
}

std::string OrderBytes(const Shuffle& shuffle) {
  std::string positions(std::size_t{shuffle.count()} * 4, '\0');
  for (std::uint32_t index = 0; index < shuffle.count(); ++index) {
    const auto position = shuffle.PositionOf(index);
    std::memcpy(positions.data() + std::size_t{index} * 4, &position, 4);
  }
  return positions;
}

std::string OrderDigest(const Shuffle& shuffle) { return HexText(AsText(Sha256(OrderBytes(shuffle)))); }

}  // namespace maejin
