#include "base/siphash.h"

#include <bit>
#include <cstring>

namespace maejin {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void Take(std::uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
  std::uint64_t Finish() {
    for (int i = 0; i < 4; ++i) Round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

State Start(const SipKey& key) {
  return {key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d, key.k0 ^ 0x6c7967656e657261,
          key.k1 ^ 0x7465646279746573};
}

void Absorb(State& state, std::string_view bytes) {
  const auto length = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    state.Take(word);
  }
  std::uint64_t last = 0;
  std::memcpy(&last, bytes.data(), bytes.size());
  state.Take(last | static_cast<std::uint64_t>(length) << 56);
}

static_assert(std::endian::native == std::endian::little, "the input is read as little-endian words");

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view bytes) {
  auto state = Start(key);
  Absorb(state, bytes);
  state.v2 ^= 0xff;
  return state.Finish();
}

SipHash128Value SipHash128(const SipKey& key, std::string_view bytes) {
  auto state = Start(key);
  state.v1 ^= 0xee;
  Absorb(state, bytes);
  state.v2 ^= 0xee;
  SipHash128Value value;
  value.low = state.Finish();
  state.v1 ^= 0xdd;
  value.high = state.Finish();
  return value;
}

}  // namespace maejin
