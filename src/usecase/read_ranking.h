// Reads the sold-out rankings: the top of a board, a page of it, the rank of one concert or
// date.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/time_zone.h"
#include "store/ranking_store.h"
#include "usecase/describe_shows.h"

namespace maejin {

struct RankingQuestion {
  WindowKind window = WindowKind::kDaily;
  std::optional<Date> at = {};  // any day in the window; absent: today
  std::int64_t first = 1;
  std::int64_t count = 10;
};

// The rank of one concert or date. Without `at`: in the window that contains its sell-out.
struct RankQuestion {
  std::int64_t id = 0;
  WindowKind window = WindowKind::kDaily;
  std::optional<Date> at = {};
  std::int64_t around = 0;
};

template <class Entry>
struct RankingAnswer {
  BoardWindow board;
  std::string key;
  RankingPage<Entry> page;
  // When the answer becomes stale because the window ends. Absent: never.
  std::optional<Time> valid_until;
};

// Thread-safe. The references outlive it. Every Task may refuse with kUnavailable.
class ReadRanking {
 public:
  ReadRanking(RankingStore& store, BookingStore& bookings, TimeZone zone, const Clock& clock)
      : store_(store), bookings_(bookings), describe_(bookings, store), zone_(zone), clock_(clock) {}

  Task<Outcome<RankingAnswer<RankedConcert>>> Concerts(RankingQuestion question);
  // Refuses: kInvalidField (schedules have no all-time board).
  Task<Outcome<RankingAnswer<RankedSchedule>>> Schedules(RankingQuestion question);
  // The composite board: durations in whole seconds, at most 100 concerts.
  Task<Outcome<RankingAnswer<RankedConcert>>> Composite(std::int64_t count);
  // Refuses: kNotRanked.
  Task<Outcome<RankingAnswer<RankedConcert>>> RankOf(RankQuestion question);
  // Refuses: kNotRanked, kInvalidField (schedules have no all-time board).
  Task<Outcome<RankingAnswer<RankedSchedule>>> RankOfSchedule(RankQuestion question);

  // Does not wait. A version increases with every change of a board, a name or the seats for sale. Absent if
  // other nodes change this data, too.
  std::optional<RankingVersions> VersionsAtOnce() const;

 private:
  RankingStore& store_;
  BookingStore& bookings_;
  DescribeShows describe_;
  const TimeZone zone_;
  const Clock& clock_;
};

// The window that a question is about. `valid_until`: its end, if the question is about the current window.
struct ChosenWindow {
  Window window;
  std::optional<Time> valid_until;
};
ChosenWindow ChooseWindow(WindowKind kind, std::optional<Date> at, Time now, const TimeZone& zone);

}  // namespace maejin
