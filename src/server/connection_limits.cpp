#include "server/connection_limits.h"

#include "server/address_key.h"

namespace maejin::http {

ConnectionSlot::~ConnectionSlot() {
  if (limits_) limits_->Give();
}

bool ConnectionSlot::restricted() const {
  return reserved_ && limits_ && limits_->open() > limits_->ordinary_;
}

ConnectionSlot ConnectionLimits::Take(const boost::asio::ip::address& address, bool exempt) {
  const auto before = open_.fetch_add(1);
  ConnectionSlot slot(this);  // its destructor corrects open_ if a limit is reached below
  if (before >= in_all_) return {};
  slot.reserved_ = before >= ordinary_;
  if (per_address_ == 0 || exempt || address.is_loopback()) return slot;
  slot.address_ = AddressKey(address);
  if (!by_address_.Take(slot.address_, per_address_, slot.of_address_)) return {};
  // One address gets at most an eighth of the reserved connections.
  const auto share =
      std::max<std::size_t>(1, (in_all_.load() - std::min(in_all_.load(), ordinary_.load())) / 8);
  if (slot.reserved_ && !reserved_by_address_.Take(slot.address_, share, slot.of_reserve_)) return {};
  return slot;
}

bool ConnectionLimits::TakeForwarded(std::string_view client, KeyedCount& count) {
  if (per_address_ == 0) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(client, error);
  if (error || address.is_loopback()) return true;
  return by_address_.Take(AddressKey(address), per_address_, count);
}

}  // namespace maejin::http
