#include "adapters/redis/ranking/retention.h"

namespace maejin::redis {
namespace {

// During this time before a key expires, reads of its window already go to the database. Otherwise the key
// could expire during a read.
constexpr std::chrono::minutes kBeforeExpiry{1};

void RaiseTo(std::atomic<std::int64_t>& value, std::int64_t least) {
  auto current = value.load(std::memory_order_relaxed);
  while (least > current && !value.compare_exchange_weak(current, least)) {
  }
}

}  // namespace

void BoardRetention::AdvanceTo(Time now) { RaiseTo(now_ms_, ToMillis(now)); }

void BoardRetention::set_pruned_before(Date day) { pruned_before_ = DayNumber(day); }

void BoardRetention::RaisePrunedBefore(std::int64_t day) { RaiseTo(pruned_before_, day); }

bool BoardRetention::IsKept(const BoardWindow& board) const {
  if (board.window.kind == WindowKind::kAll) return true;
  const bool sold_outs = BoardOf(board.board).source != BoardSource::kProgress;
  if (sold_outs && DayNumber(DayAfter(board.window)) <= pruned_before()) return false;
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, zone_);
  return !expiry || *expiry > now() + kBeforeExpiry;
}

std::string BoardRetention::ExpiryText(const BoardWindow& board) const {
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, zone_);
  return expiry && expire_ ? std::to_string(ToMillis(*expiry)) : "0";
}

}  // namespace maejin::redis
