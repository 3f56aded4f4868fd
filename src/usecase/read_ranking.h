// Reads the sold-out rankings: the top of a board, a page of it, the place of one concert.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/time_zone.h"
#include "store/ranking_store.h"

namespace maejin {

struct RankingQuestion {
  WindowKind window = WindowKind::kDaily;
  std::optional<Date> at = {};  // any day in the window; absent: today
  std::int64_t first = 1;
  std::int64_t count = 10;
};

// Of one concert. Without `at`: in the window that contains its own sell-out.
struct RankQuestion {
  ConcertId concert = 0;
  WindowKind window = WindowKind::kDaily;
  std::optional<Date> at = {};
  std::int64_t around = 0;
};

template <class Entry>
struct RankingAnswer {
  BoardWindow board;
  std::string key;
  RankingPage<Entry> page;
  // An answer about "today" is right until then, if nothing changes before.
  std::optional<Time> valid_until;
};

// Thread-safe.
class ReadRanking {
 public:
  ReadRanking(RankingStore& store, TimeZone zone, const Clock& clock)
      : store_(store), zone_(zone), clock_(clock) {}

  Task<Outcome<RankingAnswer<RankedConcert>>> Concerts(RankingQuestion question);
  // Refuses: kInvalidField (there is no board of schedules of all time).
  Task<Outcome<RankingAnswer<RankedSchedule>>> Schedules(RankingQuestion question);
  // The board of seed 000: whole seconds, at most 100.
  Task<Outcome<RankingAnswer<RankedConcert>>> Composite(std::int64_t count);
  // Refuses: kNotRanked.
  Task<Outcome<RankingAnswer<RankedConcert>>> RankOf(RankQuestion question);

  // Without waiting: see RankingStore.
  std::optional<RankingVersions> VersionsAtOnce() const { return store_.VersionsAtOnce(); }

 private:
  RankingStore& store_;
  const TimeZone zone_;
  const Clock& clock_;
};

// The window a question means, and until when that stays so.
struct ChosenWindow {
  Window window;
  std::optional<Time> valid_until;
};
ChosenWindow ChooseWindow(WindowKind kind, std::optional<Date> at, Time now, const TimeZone& zone);

}  // namespace maejin
