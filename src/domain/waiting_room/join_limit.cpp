#include "domain/waiting_room/join_limit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <arpa/inet.h>

namespace maejin {
namespace {

constexpr std::int64_t kMinuteUs = 60'000'000;
constexpr std::uint64_t kIsV4 = std::uint64_t{1} << 62;

std::uint64_t V4Prefix(const std::uint8_t* bytes) {
  return kIsV4 | std::uint64_t{bytes[0]} << 16 | std::uint64_t{bytes[1]} << 8 | bytes[2];
}

}  // namespace

std::uint64_t AddressPrefix(std::string_view address) {
  const std::string text(address);
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return V4Prefix(bytes.data());
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return 0;
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(bytes.data(), kMapped.data(), kMapped.size()) == 0) return V4Prefix(bytes.data() + 12);
  std::uint64_t prefix = 1;
  for (std::size_t i = 0; i < 7; ++i) prefix = prefix << 8 | bytes[i];
  return prefix;
}

bool JoinLimit::Take(std::uint64_t prefix, std::uint32_t per_minute, Time now) {
  const auto now_us = ToMillis(now) * 1000;
  if (free_at_.size() >= sweep_at_) Sweep(now);
  auto& free_at = free_at_[prefix];
  const auto after = std::max(free_at, now_us) + kMinuteUs / per_minute;
  if (after > now_us + kMinuteUs) return false;
  free_at = after;
  return true;
}

void JoinLimit::Sweep(Time now) {
  const auto now_us = ToMillis(now) * 1000;
  std::erase_if(free_at_, [now_us](const auto& bucket) { return bucket.second <= now_us; });
  sweep_at_ = std::max<std::size_t>(1024, free_at_.size() * 2);
}

}  // namespace maejin
