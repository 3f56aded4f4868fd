// The port of the rankings: projections of booking history. Everything here can be thrown away and rebuilt
// from it. Every call is one whole step; the time is an argument. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/task.h"
#include "domain/board.h"
#include "domain/booking_event.h"
#include "domain/refusal.h"
#include "domain/words.h"

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

class RankingStore {
 public:
  virtual ~RankingStore() = default;

  // Applies events to every board they belong on. Applied twice, or out of order, they change nothing more: a
  // sold-out is known by its concert or schedule (the first stands), progress by the event's id.
  virtual Task<Outcome<Done>> Apply(std::vector<BookingEvent> events) = 0;

  // The page may be shorter than asked, or empty. Windows past their retention are read from the database.
  virtual Task<Outcome<RankingPage<RankedConcert>>> Concerts(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> Schedules(PageQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedProgress>>> Progress(PageQuery query) = 0;

  // The entry and its neighbours, in order. Refuses: kNotRanked.
  virtual Task<Outcome<RankingPage<RankedConcert>>> ConcertRank(RankQuery query) = 0;
  virtual Task<Outcome<RankingPage<RankedSchedule>>> ScheduleRank(RankQuery query) = 0;
  // Refuses: kNotRanked (no seat reserved).
  virtual Task<Outcome<RankedProgress>> ProgressOf(BoardWindow board, Date concert_date) = 0;
  virtual Task<Outcome<RankedProgress>> ProgressOfSchedule(ScheduleId schedule) = 0;

  // Absent: not sold out. Booking asks for a concert's own answer.
  virtual Task<Outcome<std::optional<ConcertRanks>>> RanksOf(ConcertId concert) = 0;
  // The instant of its sell-out; absent: not sold out.
  virtual Task<Outcome<std::optional<Time>>> SoldOutAt(ConcertId concert) = 0;

  // Writes past sell-outs and ranks them. Element i tells whether history i was new (true) or was there
  // already. Precondition: each is whole and its times are in order (usecase/import_soldouts.h). Refuses:
  // kUnavailable.
  virtual Task<Outcome<std::vector<bool>>> Import(std::vector<SoldOutHistory> histories) = 0;

  // Makes every board anew from the database while the old ones serve. The result is the same, byte for byte.
  virtual Task<Outcome<Done>> Rebuild() = 0;
  // Drops the boards of windows that ended before `before`, and does not build them again. The sold-outs stay
  // in the database, from where those windows are still answered.
  virtual Task<Outcome<PruneReport>> Prune(Date before) = 0;
  // Compares a part of the boards with the database, the next part at the next call, and repairs what
  // differs.
  virtual Task<Outcome<ReconcileReport>> Reconcile() = 0;

  // Lets windows past their retention go.
  virtual void Tick(Time now) = 0;

  // Without waiting. Absent where the store cannot know (its boards are shared with others).
  virtual std::optional<RankingVersions> VersionsAtOnce() const = 0;

  // Called after every new sold-out, on the thread that applied it. Set before the first event; must not
  // block.
  virtual void OnMovement(std::function<void(const RankingMovement&)> listener) = 0;
};

}  // namespace maejin
