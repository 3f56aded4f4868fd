#include "server/address_key.h"

#include <cstring>
#include <functional>

namespace maejin::http {

std::uint64_t AddressKey(const boost::asio::ip::address& address) {
  std::uint64_t key = 0;
  if (address.is_v4()) {
    key = 0xffff'0000'0000ULL | address.to_v4().to_uint();
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(&key, bytes.data(), sizeof key);
  }
  return key == 0 ? 1 : key;
}

std::uint64_t AddressKey(std::string_view address) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(address, error);
  return error ? std::hash<std::string_view>{}(address) | 1 : AddressKey(parsed);
}

}  // namespace maejin::http
