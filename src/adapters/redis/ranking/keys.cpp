#include "adapters/redis/ranking/keys.h"

#include <charconv>

#include <fmt/format.h>

#include "base/numbers.h"

namespace maejin::redis {
namespace {

constexpr std::int64_t kMaxSeats = 9'007'199'254'740'991;  // 2^53 - 1
constexpr std::size_t kCountDigits = 16;

// Sixteen hexadecimal digits that sort like the numbers, negative numbers included.
std::string Sortable(std::int64_t number) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63));
}

bool ByDate(const Board& board) { return board.member == BoardMember::kConcertDate; }

}  // namespace

std::string RankingKeys::BuiltField(const BoardWindow& board) {
  return IsBuiltWhenRead(board.board) ? "built:" + WindowName(board) : std::string();
}

std::string MemberOf(const Board& board, std::int64_t id) {
  return (board.member == BoardMember::kSchedule ? "schedule:" : "") + std::to_string(id);
}

std::string ScoreOf(const Board& board, const SoldOutKey& key) {
  if (board.score == BoardScore::kComposite) return CompositeScore(key);
  return std::to_string(InUnit(key.duration, board.unit));
}

std::optional<std::int64_t> IdOfMember(const Board& board, std::string_view member) {
  constexpr std::string_view kPrefix = "schedule:";
  if (board.member == BoardMember::kSchedule) {
    if (!member.starts_with(kPrefix)) return {};
    member.remove_prefix(kPrefix.size());
  }
  const auto id = ParseInt<std::int64_t>(member);
  if (!id || std::to_string(*id) != member) return {};
  return id;
}

std::string ProgressMember(const Board& board, const ProgressChanged& change) {
  return ByDate(board) ? FormatDate(change.concert_date) : std::to_string(change.schedule);
}

std::string ProgressSort(const Board& board, std::string_view member) {
  if (ByDate(board)) return std::string(member);
  std::int64_t id = 0;
  std::from_chars(member.data(), member.data() + member.size(), id);
  return Sortable(id);
}

std::optional<ProgressRow> ParseProgressOrder(std::string_view order) {
  const auto bar = order.rfind('|');
  if (bar == std::string_view::npos || bar < kCountDigits) return {};
  std::int64_t inverted = 0;
  std::from_chars(order.data(), order.data() + kCountDigits, inverted);
  return ProgressRow{std::string(order.substr(bar + 1)), kMaxSeats - inverted};
}

std::string WindowName(const BoardWindow& board) {
  return fmt::format("{}:{}", static_cast<int>(board.board), FormatDate(board.window.first_day));
}

std::optional<BoardWindow> ParseWindowName(std::string_view name) {
  const auto colon = name.find(':');
  if (colon == std::string_view::npos) return {};
  std::size_t board = kBoardCount;
  std::from_chars(name.data(), name.data() + colon, board);
  const auto day = ParseDate(name.substr(colon + 1));
  if (board >= kBoardCount || !day) return {};
  const auto id = static_cast<BoardId>(board);
  return BoardWindow{id, {BoardOf(id).window, *day}};
}

}  // namespace maejin::redis
