#include "adapters/redis/ranking/keys.h"

#include <charconv>

#include <fmt/format.h>

namespace maejin::redis {
namespace {

constexpr std::int64_t kMaxSeats = 9'007'199'254'740'991;  // 2^53 - 1
constexpr std::size_t kCountDigits = 16;

// Sixteen hexadecimal digits that sort like the numbers, negative numbers included.
std::string Sortable(std::int64_t number) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63));
}

bool ByDate(const Board& board) { return board.member == BoardMember::kConcertDate; }

// Reads numbers and texts from the front of a text.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  std::int64_t Number() {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{} || end == rest_.data() + rest_.size() || *end != ' ') {
      ok_ = false;
      return 0;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()) + 1);
    return number;
  }
  std::string Text(std::int64_t size) {
    if (size < 0 || static_cast<std::size_t>(size) > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string text(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(text.size());
    return text;
  }
  // True: the whole text was read without an error.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string MemberOf(const Board& board, std::int64_t id) {
  return (board.member == BoardMember::kSchedule ? "schedule:" : "") + std::to_string(id);
}

std::string ScoreOf(const Board& board, const SoldOutKey& key) {
  if (board.score == BoardScore::kComposite) return CompositeScore(key);
  return std::to_string(InUnit(key.duration, board.unit));
}

std::string ExactOrder(const Board& board, const SoldOutKey& key) {
  return Sortable(InUnit(key.duration, board.unit)) + Sortable(-key.dates) +
         Sortable(ToMillis(key.started_at)) + Sortable(key.id) + "|" + std::to_string(key.id);
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

std::string ProgressOrder(const Board& board, std::string_view member, std::int64_t reserved) {
  return fmt::format("{:016}{}|{}", kMaxSeats - reserved, ProgressSort(board, member), member);
}

std::optional<ProgressRow> ParseProgressOrder(std::string_view order) {
  const auto bar = order.rfind('|');
  if (bar == std::string_view::npos || bar < kCountDigits) return {};
  std::int64_t inverted = 0;
  std::from_chars(order.data(), order.data() + kCountDigits, inverted);
  return ProgressRow{std::string(order.substr(bar + 1)), kMaxSeats - inverted};
}

std::string PackDetail(const ConcertSoldOut& sold_out) {
  return fmt::format("{} {} {} {} {} {} {} {} {}{}{}", sold_out.concert, sold_out.dates, sold_out.seats,
                     ToMillis(sold_out.booking_open_at), ToMillis(sold_out.sold_out_at),
                     sold_out.title.size(), sold_out.artist.size(), sold_out.venue.size(), sold_out.title,
                     sold_out.artist, sold_out.venue);
}

std::string PackDetail(const ScheduleSoldOut& sold_out) {
  return fmt::format("{} {} {} {} {} {}", sold_out.schedule, sold_out.concert, sold_out.seats,
                     ToMillis(sold_out.started_at), ToMillis(sold_out.sold_out_at),
                     FormatDate(sold_out.concert_date));
}

std::optional<ConcertSoldOut> UnpackConcert(std::string_view detail) {
  FieldReader fields(detail);
  ConcertSoldOut sold_out;
  sold_out.concert = fields.Number();
  sold_out.dates = fields.Number();
  sold_out.seats = fields.Number();
  sold_out.booking_open_at = TimeFromMillis(fields.Number());
  sold_out.sold_out_at = TimeFromMillis(fields.Number());
  const auto title = fields.Number();
  const auto artist = fields.Number();
  const auto venue = fields.Number();
  sold_out.title = fields.Text(title);
  sold_out.artist = fields.Text(artist);
  sold_out.venue = fields.Text(venue);
  if (!fields.done()) return {};
  return sold_out;
}

std::optional<ScheduleSoldOut> UnpackSchedule(std::string_view detail) {
  FieldReader fields(detail);
  ScheduleSoldOut sold_out;
  sold_out.schedule = fields.Number();
  sold_out.concert = fields.Number();
  sold_out.seats = fields.Number();
  sold_out.started_at = TimeFromMillis(fields.Number());
  sold_out.sold_out_at = TimeFromMillis(fields.Number());
  const auto date = ParseDate(fields.Text(10));
  if (!fields.done() || !date) return {};
  sold_out.concert_date = *date;
  return sold_out;
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
