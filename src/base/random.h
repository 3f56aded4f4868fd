// The source of randomness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>

namespace maejin {

// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  // Fills `out` with bytes: unpredictable (SystemRandom), or repeatable from the seed (SeededRandom).
  virtual void Fill(std::span<std::byte> out) = 0;

  std::uint64_t Next64();
};

// The kernel's generator: keys, ids, tokens.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<std::byte> out) override;
};

// For tests, simulations and the demo's fans. Never for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  void Fill(std::span<std::byte> out) override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace maejin
