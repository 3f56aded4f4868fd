// The words of the rankings: rows of boards, questions and reports.
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

struct RankedSchedule {
  std::int64_t rank = 0;  // from 1
  ScheduleId schedule = 0;
  ConcertId concert = 0;
  Date concert_date{};
  Time started_at;
  Time sold_out_at;
};

struct RankedProgress {
  std::int64_t rank = 0;  // from 1
  Date concert_date{};
  // Of the board by schedule; 0 on the boards by date.
  ScheduleId schedule = 0;
  std::int64_t reserved = 0;  // more than 0
};

// A piece of a board, in its order. `total` counts the whole board.
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
  std::int64_t around = 0;  // so many neighbours on each side
};

// Where one concert stands in the windows that contain its sell-out.
struct ConcertRanks {
  std::int64_t daily = 0;
  std::int64_t weekly = 0;
  std::int64_t monthly = 0;
  std::int64_t all = 0;
};

// What became of a history that was imported.
enum class Imported : std::uint8_t {
  kNew,
  kKnown,          // its concert was sold out already, or belongs to this server
  kScheduleTaken,  // a date of it has the id of another concert's date
};

// One past sell-out from elsewhere. Without ids of its own it gets ids made from its content, so that the
// same history imported twice is found to be there already.
struct SoldOutHistory {
  ConcertSoldOut concert;  // id 0: none given
  std::vector<ScheduleSoldOut> schedules;
};

// Grows with every change: an answer made at one version is exact as long as the version stays.
struct RankingVersions {
  std::uint64_t sold_outs = 0;
  std::uint64_t progress = 0;

  friend bool operator==(const RankingVersions&, const RankingVersions&) = default;
};

// One concert or schedule that has just been ranked.
struct RankingMovement {
  std::variant<RankedConcert, RankedSchedule> entry;  // rank on the board of all time, of the month
  ConcertRanks ranks;                                 // of a concert
};

struct ReconcileReport {
  std::int64_t checked = 0;
  std::int64_t drift = 0;  // rows that were missing or wrong; they are repaired
};

struct PruneReport {
  std::int64_t boards = 0;
  std::int64_t rows = 0;
};

}  // namespace maejin
