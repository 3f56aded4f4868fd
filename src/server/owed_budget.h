// Bounds the memory kept for clients that read slower than the server answers: per connection, per address
// and in all. A response that the kernel takes whole is never counted, so an ordinary poll costs nothing
// here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/metrics.h"
#include "server/log_throttle.h"

namespace maejin::http {

// Why the server dropped a client: it read too slowly, or memory ran out.
enum class DropReason : std::uint8_t {
  kConnectionBudget,
  kAddressBudget,
  kTotalBudget,
  kStalled,     // read nothing until the write deadline, or a stream's backlog passed its limit
  kTooSlow,     // read below the minimum rate
  kWithdrawn,   // the owner of the text that it read needs the memory back
  kOutOfMemory  // an allocation failed
};

class OwedBudget;

// The charge of one connection. The destructor returns it to the budget.
class OwedCharge {
 public:
  OwedCharge() = default;
  OwedCharge(OwedBudget& budget, std::uint64_t address) : budget_(&budget), address_(address) {}
  OwedCharge(OwedCharge&& other) noexcept
      : budget_(other.budget_), address_(other.address_), bytes_(std::exchange(other.bytes_, 0)) {}
  OwedCharge& operator=(OwedCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~OwedCharge() { Clear(); }

  // Replaces the charge by `bytes`. False: a limit is reached, and the charge stays as it was.
  bool Set(std::size_t bytes, DropReason& reason);
  void Clear();

 private:
  OwedBudget* budget_ = nullptr;
  std::uint64_t address_ = 0;  // as in ConnectionSlot; 0: no limit per address
  std::size_t bytes_ = 0;
};

// Thread-safe.
class OwedBudget {
 public:
  struct Limits {
    std::size_t in_all;
    std::size_t per_address;
    std::size_t per_connection;
  };
  OwedBudget(Limits limits, Metrics& metrics);

  // Changes the limits; existing charges stay.
  void Set(Limits limits) {
    in_all_ = limits.in_all;
    per_address_ = limits.per_address;
    per_connection_ = limits.per_connection;
  }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // True: more than three quarters of `in_all` are used. The minimum reading rate is then higher.
  bool scarce() const { return bytes() > in_all_.load(std::memory_order_relaxed) / 4 * 3; }

  // Counts a dropped reader. Writes a log line, at most one a second.
  void CountDrop(DropReason reason, std::string_view client, std::size_t unsent);

 private:
  friend class OwedCharge;
  bool Grow(std::uint64_t address, std::size_t from, std::size_t to, DropReason& reason);
  void Shrink(std::uint64_t address, std::size_t bytes);

  std::atomic<std::size_t> in_all_;
  std::atomic<std::size_t> per_address_;
  std::atomic<std::size_t> per_connection_;
  std::array<Counter*, 7> dropped_{};  // by DropReason
  std::atomic<std::size_t> bytes_{0};
  LogThrottle log_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> by_address_;  // guarded by mutex_
};

}  // namespace maejin::http
