#include "server/connection_limits.h"

#include <cstring>

namespace maejin::http {
namespace {

// IPv4 whole, IPv6 by its network of 64 bits: whoever has one has all of its addresses.
std::uint64_t KeyOf(const boost::asio::ip::address& address) {
  std::uint64_t key = 0;
  if (address.is_v4()) {
    key = 0xffff'0000'0000ULL | address.to_v4().to_uint();
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(&key, bytes.data(), sizeof key);
  }
  return key == 0 ? 1 : key;
}

}  // namespace

ConnectionSlot::~ConnectionSlot() {
  if (limits_) limits_->Give(address_);
}

ConnectionSlot ConnectionLimits::Take(const boost::asio::ip::address& address, bool exempt) {
  if (open_.fetch_add(1) >= in_all_) {
    open_.fetch_sub(1);
    return {};
  }
  if (per_address_ == 0 || exempt || address.is_loopback()) return {this, 0};
  const auto key = KeyOf(address);
  const std::lock_guard lock(mutex_);
  auto& count = by_address_[key];
  if (count >= per_address_) {
    open_.fetch_sub(1);
    return {};
  }
  ++count;
  return {this, key};
}

void ConnectionLimits::Give(std::uint64_t address) {
  open_.fetch_sub(1);
  if (address == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  if (--found->second == 0) by_address_.erase(found);
}

}  // namespace maejin::http
