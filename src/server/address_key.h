// The key under which limits count a client: its IPv4 address, or its IPv6 network of 64 bits. One customer
// usually owns all addresses of such a network.
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace maejin::http {

// Never 0.
std::uint64_t AddressKey(const boost::asio::ip::address& address);
// The key of an address given as text. The key of any other text is a hash of the text.
std::uint64_t AddressKey(std::string_view address);

}  // namespace maejin::http
