#include "base/random.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>

namespace maejin {

std::uint64_t Random::Next64() {
  std::uint64_t number = 0;
  Fill(std::as_writable_bytes(std::span{&number, 1}));
  return number;
}

void SystemRandom::Fill(std::span<std::byte> out) {
  while (!out.empty()) {
    const auto got = getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      std::abort();  // no secret is safe without random numbers
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void SeededRandom::Fill(std::span<std::byte> out) {
  const std::lock_guard lock(mutex_);
  while (!out.empty()) {
    const auto word = engine_();
    const auto count = std::min(out.size(), sizeof word);
    std::memcpy(out.data(), &word, count);
    out = out.subspan(count);
  }
}

}  // namespace maejin
