// How many connections there are, in all and per address, so that no address can take them all.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <boost/asio/ip/address.hpp>

namespace maejin::http {

class ConnectionLimits;

// One connection's share of the limits; gives it back when it goes.
class ConnectionSlot {
 public:
  ConnectionSlot() = default;
  ConnectionSlot(ConnectionLimits* limits, std::uint64_t address) : limits_(limits), address_(address) {}
  ConnectionSlot(ConnectionSlot&& other) noexcept
      : limits_(std::exchange(other.limits_, nullptr)), address_(other.address_) {}
  ConnectionSlot& operator=(ConnectionSlot&& other) noexcept {
    std::swap(limits_, other.limits_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~ConnectionSlot();

  explicit operator bool() const { return limits_ != nullptr; }
  // What counts as one client address, as a number; 0: exempt from limits per address.
  std::uint64_t address() const { return address_; }

 private:
  ConnectionLimits* limits_ = nullptr;
  std::uint64_t address_ = 0;  // 0: exempt
};

// Thread-safe.
class ConnectionLimits {
 public:
  ConnectionLimits(std::size_t in_all, std::size_t per_address)
      : in_all_(in_all), per_address_(per_address) {}

  // Empty if a limit is reached. `exempt`: a trusted proxy; loopback always is.
  ConnectionSlot Take(const boost::asio::ip::address& address, bool exempt);
  std::size_t open() const { return open_.load(std::memory_order_relaxed); }

 private:
  friend class ConnectionSlot;
  void Give(std::uint64_t address);

  const std::size_t in_all_;
  const std::size_t per_address_;
  std::atomic<std::size_t> open_{0};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_address_;  // guarded by mutex_
};

}  // namespace maejin::http
