#include "server/owed_budget.h"

#include "base/log.h"

namespace maejin::http {
namespace {

constexpr std::array<const char*, 7> kReasons = {"connection-budget", "address-budget", "total-budget",
                                                 "stalled",           "too-slow",       "withdrawn",
                                                 "out-of-memory"};

}  // namespace

bool OwedCharge::Set(std::size_t bytes, DropReason& reason) {
  if (bytes == bytes_) return true;
  if (bytes > bytes_) {
    if (!budget_->Grow(address_, bytes_, bytes, reason)) return false;
  } else {
    budget_->Shrink(address_, bytes_ - bytes);
  }
  bytes_ = bytes;
  return true;
}

void OwedCharge::Clear() {
  if (bytes_ > 0) budget_->Shrink(address_, std::exchange(bytes_, 0));
}

OwedBudget::OwedBudget(Limits limits, Metrics& metrics)
    : in_all_(limits.in_all), per_address_(limits.per_address), per_connection_(limits.per_connection) {
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    dropped_[i] = &metrics.AddCounter("maejin_http_readers_dropped_total",
                                      "Connections closed because the client read too slowly, by reason.",
                                      {{"reason", kReasons[i]}});
  }
}

bool OwedBudget::Grow(std::uint64_t address, std::size_t from, std::size_t to, DropReason& reason) {
  const auto more = to - from;
  if (to > per_connection_) {
    reason = DropReason::kConnectionBudget;
    return false;
  }
  if (address != 0) {
    const std::lock_guard lock(mutex_);
    auto& bytes = by_address_[address];
    if (bytes + more > per_address_) {
      if (bytes == 0) by_address_.erase(address);
      reason = DropReason::kAddressBudget;
      return false;
    }
    bytes += more;
  }
  if (bytes_.fetch_add(more, std::memory_order_relaxed) + more <= in_all_) return true;
  Shrink(address, more);
  reason = DropReason::kTotalBudget;
  return false;
}

void OwedBudget::Shrink(std::uint64_t address, std::size_t bytes) {
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (address == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  found->second -= bytes;
  if (found->second == 0) by_address_.erase(found);
}

void OwedBudget::CountDrop(DropReason reason, std::string_view client, std::size_t unsent) {
  dropped_[static_cast<std::size_t>(reason)]->Add();
  const auto left_out = log_.Take();
  if (!left_out) return;
  LogWarning(
      "http: dropped a slow reader: client {}, reason {}, {} bytes unsent; {} more since the last line",
      client, kReasons[static_cast<std::size_t>(reason)], unsent, *left_out);
}

}  // namespace maejin::http
