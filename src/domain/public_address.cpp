#include "domain/public_address.h"

#include <algorithm>
#include <span>

namespace maejin {
namespace {

struct Network4 {
  Ipv4 prefix;
  unsigned bits;
};
constexpr Network4 kSpecial4[] = {
    {{0, 0, 0, 0}, 8},      {{10, 0, 0, 0}, 8},     {{100, 64, 0, 0}, 10}, {{127, 0, 0, 0}, 8},
    {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12},  {{192, 0, 0, 0}, 24},  {{192, 0, 2, 0}, 24},
    {{192, 88, 99, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15}, {{198, 51, 100, 0}, 24},
    {{203, 0, 113, 0}, 24}, {{224, 0, 0, 0}, 4},    {{240, 0, 0, 0}, 4},
};

struct Network6 {
  Ipv6 prefix;
  unsigned bits;
};
constexpr Network6 kUnicast6{{0x20}, 3};
constexpr Network6 kMappedV4{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Network6 kNat64{{0, 0x64, 0xff, 0x9b}, 96};
constexpr Network6 kSpecial6[] = {
    {{0x20, 0x01}, 23},              // IETF protocols, Teredo among them
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4
    {{0x3f, 0xff}, 20},              // documentation
};

bool Begins(std::span<const std::uint8_t> address, std::span<const std::uint8_t> prefix, unsigned bits) {
  const auto whole = bits / 8;
  if (!std::equal(prefix.begin(), prefix.begin() + whole, address.begin())) return false;
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff00U >> (bits % 8));
  return (address[whole] & mask) == prefix[whole];
}

bool Has(const Network6& network, const Ipv6& address) {
  return Begins(address, network.prefix, network.bits);
}

}  // namespace

bool IsPublic(const Ipv4& address) {
  return std::none_of(std::begin(kSpecial4), std::end(kSpecial4),
                      [&](const Network4& network) { return Begins(address, network.prefix, network.bits); });
}

bool IsPublic(const Ipv6& address) {
  if (Has(kMappedV4, address) || Has(kNat64, address))
    return IsPublic(Ipv4{address[12], address[13], address[14], address[15]});
  return Has(kUnicast6, address) &&
         std::none_of(std::begin(kSpecial6), std::end(kSpecial6),
                      [&](const Network6& network) { return Has(network, address); });
}

}  // namespace maejin
