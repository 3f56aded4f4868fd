// Limits on connections: in all, and per client address. The last free connections are reserved for requests
// that must succeed during a rush: health checks, operators, holds, payments and refunds.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "server/keyed_counts.h"

namespace maejin::http {

class ConnectionLimits;

// One connection's permit. The destructor returns it to the limits.
class ConnectionSlot {
 public:
  ConnectionSlot() = default;
  explicit ConnectionSlot(ConnectionLimits* limits) : limits_(limits) {}
  ConnectionSlot(ConnectionSlot&& other) noexcept
      : limits_(std::exchange(other.limits_, nullptr)),
        address_(other.address_),
        reserved_(other.reserved_),
        of_address_(std::move(other.of_address_)),
        of_reserve_(std::move(other.of_reserve_)) {}
  ConnectionSlot& operator=(ConnectionSlot&& other) noexcept {
    std::swap(limits_, other.limits_);
    std::swap(address_, other.address_);
    std::swap(reserved_, other.reserved_);
    std::swap(of_address_, other.of_address_);
    std::swap(of_reserve_, other.of_reserve_);
    return *this;
  }
  ~ConnectionSlot();

  explicit operator bool() const { return limits_ != nullptr; }
  // AddressKey() of the client; 0: exempt from limits per address.
  std::uint64_t address() const { return address_; }
  // True: the connection was reserved when it was accepted, and the ordinary connections are still used up.
  // It then serves only the requests for which connections are reserved.
  bool restricted() const;

 private:
  friend class ConnectionLimits;
  ConnectionLimits* limits_ = nullptr;
  std::uint64_t address_ = 0;
  bool reserved_ = false;
  KeyedCount of_address_;
  KeyedCount of_reserve_;
};

// Thread-safe.
class ConnectionLimits {
 public:
  // `reserved` of the `in_all` connections are reserved, but at most a quarter of `in_all`. `per_address` 0:
  // no limit.
  ConnectionLimits(std::size_t in_all, std::size_t per_address, std::size_t reserved = 0)
      : in_all_(in_all), per_address_(per_address), ordinary_(in_all - std::min(reserved, in_all / 4)) {}
  // Changes the limits; open connections stay.
  void Set(std::size_t in_all, std::size_t per_address, std::size_t reserved) {
    in_all_ = in_all;
    per_address_ = per_address;
    ordinary_ = in_all - std::min(reserved, in_all / 4);
  }

  // The permit is empty if a limit is reached. `exempt`: the client is a trusted proxy, without a limit per
  // address. Loopback addresses have no such limit either.
  ConnectionSlot Take(const boost::asio::ip::address& address, bool exempt);
  // Counts one running request or stream of a client behind a trusted proxy as one connection of the
  // forwarded address. False: the limit per address is reached.
  bool TakeForwarded(std::string_view client, KeyedCount& count);

  std::size_t open() const { return open_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return in_all_; }
  std::size_t per_address() const { return per_address_; }
  // Reserved connections in use.
  std::size_t reserved_in_use() const { return open() - std::min(open(), ordinary_.load()); }

 private:
  friend class ConnectionSlot;
  void Give() { open_.fetch_sub(1); }

  std::atomic<std::size_t> in_all_;
  std::atomic<std::size_t> per_address_;
  std::atomic<std::size_t> ordinary_;  // connections that are not reserved
  std::atomic<std::size_t> open_{0};
  KeyedCounts by_address_;
  KeyedCounts reserved_by_address_;
};

}  // namespace maejin::http
