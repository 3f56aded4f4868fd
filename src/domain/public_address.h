// Which IP addresses webhooks may connect to: those of the public internet.
#pragma once

#include <array>
#include <cstdint>

namespace maejin {

using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;

// False for loopback, private, link-local, shared, multicast, reserved and documentation addresses (the
// registries of special-purpose addresses of RFC 6890). An IPv6 address that contains an IPv4 address is
// judged by that address.
bool IsPublic(const Ipv4& address);
bool IsPublic(const Ipv6& address);

}  // namespace maejin
