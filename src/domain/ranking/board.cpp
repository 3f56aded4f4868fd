#include "domain/ranking/board.h"

#include <array>

namespace maejin {
namespace {

using std::chrono::days;
using enum WindowKind;

constexpr auto kConcerts = BoardSource::kSoldOutConcerts;
constexpr auto kSchedules = BoardSource::kSoldOutSchedules;
constexpr auto kProgress = BoardSource::kProgress;
constexpr auto kConcertId = BoardMember::kConcertId;
constexpr auto kSchedule = BoardMember::kSchedule;
constexpr auto kShortest = BoardOrder::kShortestFirst;
constexpr auto kMost = BoardOrder::kMostFirst;
constexpr auto kMs = DurationUnit::kMillis;
constexpr auto kSec = DurationUnit::kSeconds;
constexpr auto kCompact = WindowText::kCompact;
constexpr auto kDashed = WindowText::kDashed;
constexpr std::size_t kEveryRow = 0;
constexpr std::nullopt_t kForEver = std::nullopt;

// clang-format off
constexpr std::array<Board, kBoardCount> kBoards{{
  // Source, window, published name and form of the window in it.
  // Then member, score, order, unit, rows kept, days kept.
  {BoardId::kComposite,          kConcerts,  kAll,     "concertSoldOutRank",               kCompact,
   kConcertId,                BoardScore::kComposite, kShortest, kSec, 100,       kForEver},
  {BoardId::kConcertsDaily,      kConcerts,  kDaily,   "concert:soldout:ranking:daily:",   kCompact,
   kConcertId,                BoardScore::kMillis,    kShortest, kMs,  kEveryRow, days{7}},
  {BoardId::kConcertsWeekly,     kConcerts,  kWeekly,  "concert:soldout:ranking:weekly:",  kCompact,
   kConcertId,                BoardScore::kMillis,    kShortest, kMs,  kEveryRow, days{30}},
  {BoardId::kConcertsMonthly,    kConcerts,  kMonthly, "concert:soldout:ranking:monthly:", kCompact,
   kConcertId,                BoardScore::kMillis,    kShortest, kMs,  kEveryRow, days{365}},
  {BoardId::kConcertsAll,        kConcerts,  kAll,     "concert:soldout:ranking:all",      kCompact,
   kConcertId,                BoardScore::kMillis,    kShortest, kMs,  kEveryRow, kForEver},
  {BoardId::kSchedulesDaily,     kSchedules, kDaily,   "ranking:soldout-time:",            kCompact,
   kSchedule,                 BoardScore::kSeconds,   kShortest, kSec, kEveryRow, days{7}},
  {BoardId::kSchedulesWeekly,    kSchedules, kWeekly,  "ranking:soldout-time:",            kCompact,
   kSchedule,                 BoardScore::kSeconds,   kShortest, kSec, kEveryRow, days{30}},
  {BoardId::kSchedulesMonthly,   kSchedules, kMonthly, "ranking:soldout-time:",            kCompact,
   kSchedule,                 BoardScore::kSeconds,   kShortest, kSec, kEveryRow, kForEver},
  {BoardId::kProgressAll,        kProgress,  kAll,     "ranking:soldout",                  kDashed,
   BoardMember::kConcertDate, BoardScore::kSeats,     kMost,     kSec, kEveryRow, kForEver},
  {BoardId::kProgressDaily,      kProgress,  kDaily,   "ranking:soldout:",                 kDashed,
   BoardMember::kConcertDate, BoardScore::kSeats,     kMost,     kSec, kEveryRow, days{7}},
  {BoardId::kProgressWeekly,     kProgress,  kWeekly,  "ranking:soldout:",                 kDashed,
   BoardMember::kConcertDate, BoardScore::kSeats,     kMost,     kSec, kEveryRow, days{30}},
  {BoardId::kProgressSchedules,  kProgress,  kAll,     "ranking:soldout:schedule",         kDashed,
   BoardMember::kScheduleId,  BoardScore::kSeats,     kMost,     kSec, kEveryRow, kForEver},
}};
// clang-format on

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kBoards.size(); ++i) {
    if (static_cast<std::size_t>(kBoards[i].id) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

std::span<const Board, kBoardCount> Boards() { return kBoards; }

const Board& BoardOf(BoardId id) { return kBoards[static_cast<std::size_t>(id)]; }

BoardId ConcertBoard(WindowKind kind) {
  switch (kind) {
    case kDaily:
      return BoardId::kConcertsDaily;
    case kWeekly:
      return BoardId::kConcertsWeekly;
    case kMonthly:
      return BoardId::kConcertsMonthly;
    case kAll:
      break;
  }
  return BoardId::kConcertsAll;
}

std::optional<BoardId> ScheduleBoard(WindowKind kind) {
  switch (kind) {
    case kDaily:
      return BoardId::kSchedulesDaily;
    case kWeekly:
      return BoardId::kSchedulesWeekly;
    case kMonthly:
      return BoardId::kSchedulesMonthly;
    case kAll:
      break;
  }
  return {};
}

std::string KeyOf(const Board& board, const Window& window) {
  return std::string(board.key_prefix) + Format(window, board.key_text);
}

std::optional<Time> ExpiryOf(const Board& board, const Window& window, const TimeZone& zone) {
  if (!board.retention || window.kind == kAll) return {};
  return EndOf(window, zone) + *board.retention;
}

}  // namespace maejin
