// The types of the rankings: entries of boards, queries and reports.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "domain/booking/booking_event.h"
#include "domain/ranking/board.h"

namespace maejin {

struct RankedConcert {
  std::int64_t rank = 0;  // from 1
  ConcertId concert = 0;
  std::string title;
  std::string artist;
  std::string venue;
  std::int64_t dates = 0;
  Time booking_open_at;
  Time sold_out_at;
};

// The names of a concert on a page of a board. Empty: unknown.
struct ConcertNames {
  std::string title = {};
  std::string artist = {};
  std::string venue = {};
};

struct RankedSchedule {
  std::int64_t rank = 0;  // from 1
  ScheduleId schedule = 0;
  ConcertId concert = 0;
  ConcertNames names = {};  // stores leave it empty; usecase/describe_shows.h fills it
  Date concert_date{};
  Time started_at;
  Time sold_out_at;
};

struct RankedProgress {
  std::int64_t rank = 0;  // from 1
  Date concert_date{};
  // Only on the board by schedule; 0 on the boards by date.
  ScheduleId schedule = 0;
  std::int64_t reserved = 0;  // more than 0
  // Stores leave the fields below empty; usecase/describe_shows.h fills them.
  ConcertId concert = 0;  // only on the board by schedule
  ConcertNames names = {};
  std::int64_t total_seats = 0;  // for sale on the date
};

// A page of a board, in its order. `total` counts the whole board.
template <class Entry>
struct RankingPage {
  std::vector<Entry> entries;
  std::int64_t total = 0;
};

struct PageQuery {
  BoardWindow board;
  std::int64_t first = 1;  // rank of the first entry
  std::int64_t count = 10;
};

struct RankQuery {
  BoardWindow board;
  std::int64_t id = 0;      // concert or schedule
  std::int64_t around = 0;  // neighbours on each side
};

// The ranks of one concert in the windows of its sell-out, from 1.
struct ConcertRanks {
  std::int64_t daily = 0;
  std::int64_t weekly = 0;
  std::int64_t monthly = 0;
  std::int64_t all = 0;
};

// The ranks of one date in the windows of its sell-out, from 1.
struct ScheduleRanks {
  std::int64_t daily = 0;
  std::int64_t weekly = 0;
  std::int64_t monthly = 0;
};

// The result of importing one history.
enum class Imported : std::uint8_t {
  kNew,
  kKnown,          // the concert was sold out already, or belongs to this server
  kScheduleTaken,  // a schedule id belongs to another concert
};

// One past sell-out of another system. AssignIds() gives ids to a history without them.
struct SoldOutHistory {
  ConcertSoldOut concert;  // id 0: none given
  std::vector<ScheduleSoldOut> schedules;
};

// Increases with every change: a cached answer is exact while its version is current.
struct RankingVersions {
  std::uint64_t sold_outs = 0;
  std::uint64_t progress = 0;

  friend bool operator==(const RankingVersions&, const RankingVersions&) = default;
};

// A concert or schedule that was just ranked.
struct RankingMovement {
  std::variant<RankedConcert, RankedSchedule>
      entry;           // a concert's rank of all time, a schedule's of the month
  ConcertRanks ranks;  // for a concert
};

struct ReconcileReport {
  std::int64_t checked = 0;
  std::int64_t drift = 0;  // missing or wrong rows, now repaired
};

struct PruneReport {
  std::int64_t boards = 0;
  std::int64_t rows = 0;
};

}  // namespace maejin
