#include "tests/contract/ranking_contract.h"

#include <algorithm>
#include <map>
#include <random>

#include "base/run_task.h"
#include "tests/contract/ranking_model.h"

namespace maejin {
namespace {

const Time kNow = kRankingNow;

ProgressChanged Progress(ScheduleId schedule, const char* date, std::int64_t seats, Time held_at = kNow) {
  return {.schedule = schedule, .concert_date = *ParseDate(date), .seats = seats, .held_at = held_at};
}

void ExpectEqual(RankingStore& store, const BruteForce& model) {
  for (const auto& [window, expected] : model.Boards()) {
    ASSERT_EQ(Ids(store, window), expected) << KeyOf(BoardOf(window.board), window.window);
  }
}

TEST_P(RankingContract, EveryBoardEqualsAPlainSortAfterAnyHistory) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 chance(seed);
    const auto bed = GetParam().make(kNow);
    BruteForce model;
    const auto events = RandomHistory(chance, 300 + seed * 100);
    for (std::size_t at = 0; at < events.size();) {
      const auto count = std::min<std::size_t>(1 + chance() % 50, events.size() - at);
      const auto part = std::span{events}.subspan(at, count);
      bed->Record(part);
      for (const auto& event : part) model.Add(event);
      at += count;
      if (chance() % 8 == 0) ExpectEqual(bed->store(), model);
    }
    ExpectEqual(bed->store(), model);
  }
}

TEST_P(RankingContract, ShuffledDuplicatedAndInterruptedEventsChangeNothing) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 chance(seed);
    const auto bed = GetParam().make(kNow);
    auto events = RandomHistory(chance, 400);
    BruteForce model;
    for (const auto& event : events) model.Add(event);
    // One event per concert: booking, not the delivery order, decides which of two sell-outs is first.
    std::vector<BookingEvent> first;
    std::map<std::pair<std::size_t, std::int64_t>, bool> seen;
    for (const auto& event : events) {
      const auto* concert = std::get_if<ConcertSoldOut>(&event.fact);
      const auto id = concert ? concert->concert : std::get<ScheduleSoldOut>(event.fact).schedule;
      if (seen.try_emplace({event.fact.index(), id}, true).second) first.push_back(event);
    }
    auto delivery = first;
    delivery.insert(delivery.end(), first.begin(), first.end());
    std::shuffle(delivery.begin(), delivery.end(), chance);
    for (std::size_t at = 0; at < delivery.size(); at += 37) {
      bed->Record(std::span{delivery}.subspan(at, std::min<std::size_t>(37, delivery.size() - at)));
      if (chance() % 5 == 0) bed->Restart(kNow);
    }
    ExpectEqual(bed->store(), model);
  }
}

TEST_P(RankingContract, TheFirstSellOutStands) {
  const auto bed = GetParam().make(kNow);
  const auto opening = kNow - std::chrono::hours{3};
  const std::vector<BookingEvent> events{{1, ConcertFact(1, opening, Seconds{300})},
                                         {2, ScheduleFact(10, opening, Seconds{300})},
                                         {3, ConcertFact(2, opening, Seconds{200})}};
  bed->Record(events);
  // A refunded seat was sold again.
  const std::vector<BookingEvent> again{{4, ConcertFact(1, opening, Seconds{7200})},
                                        {5, ScheduleFact(10, opening, Seconds{7200})}};
  bed->Record(again);
  for (const bool restarted : {false, true}) {
    if (restarted) bed->Restart(kNow);
    auto& store = bed->store();
    for (const auto& board : Boards()) {
      if (board.source == BoardSource::kProgress) continue;
      const auto ids = Ids(store, At(board.id, kNow));
      const bool concerts = board.source == BoardSource::kSoldOutConcerts;
      EXPECT_EQ(ids, concerts ? (std::vector<std::int64_t>{2, 1}) : (std::vector<std::int64_t>{10}))
          << board.key_prefix;
    }
    const auto rank = RunTask(store.ConcertRank({At(BoardId::kConcertsAll, kNow), 1, 0}));
    ASSERT_TRUE(rank.ok());
    EXPECT_EQ(rank->entries[0].sold_out_at - rank->entries[0].booking_open_at, Seconds{300});
    EXPECT_EQ(*RunTask(store.SoldOutAt(1)), opening + Seconds{300});
  }
}

TEST_P(RankingContract, ANewSellOutIsInTheVeryNextRead) {
  const auto bed = GetParam().make(kNow);
  for (ConcertId id = 1; id <= 200; ++id) {
    const BookingEvent event{static_cast<std::uint64_t>(id),
                             ConcertFact(id, kNow - Seconds{5000}, Millis{5000 - id})};
    bed->Record(std::span{&event, 1});
    ASSERT_EQ(Ids(bed->store(), At(BoardId::kConcertsDaily, kNow), 1), std::vector<std::int64_t>{id});
  }
}

TEST_P(RankingContract, AWindowPastItsRetentionIsStillAnswered) {
  const auto bed = GetParam().make(kNow);
  const auto long_ago = *ParseTime("2024-02-29T23:59:59.000+09:00");
  const std::vector<BookingEvent> events{{1, ConcertFact(1, long_ago - Seconds{60}, Seconds{60})},
                                         {2, ConcertFact(2, long_ago - Seconds{50}, Seconds{50})},
                                         {3, ConcertFact(3, long_ago - Seconds{50}, Seconds{51})}};
  bed->Record(events);
  for (const bool restarted : {false, true}) {
    if (restarted) bed->Restart(kNow);
    auto& store = bed->store();
    EXPECT_EQ(Ids(store, At(BoardId::kConcertsDaily, "2024-02-29")), (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(Ids(store, At(BoardId::kConcertsDaily, "2024-03-01")), (std::vector<std::int64_t>{3}));
    EXPECT_EQ(Ids(store, At(BoardId::kConcertsWeekly, "2024-02-26")), (std::vector<std::int64_t>{2, 3, 1}));
    EXPECT_EQ(Ids(store, At(BoardId::kConcertsMonthly, "2024-03-31")), (std::vector<std::int64_t>{3}));
    const auto ranks = RunTask(store.RanksOf(1));
    ASSERT_TRUE(ranks.ok() && ranks->has_value());
    EXPECT_EQ((*ranks)->daily, 2);
    EXPECT_EQ((*ranks)->weekly, 3);
    EXPECT_EQ((*ranks)->all, 3);
  }
}

TEST_P(RankingContract, SellOutInACachedOldWindowIsShown) {
  const auto bed = GetParam().make(kNow);
  const auto day = At(BoardId::kConcertsDaily, "2024-02-29");
  EXPECT_TRUE(Ids(bed->store(), day).empty());
  const BookingEvent event{1, ConcertFact(1, *ParseTime("2024-02-29T10:00:00+09:00"), Seconds{60})};
  bed->Record(std::span{&event, 1});
  EXPECT_EQ(Ids(bed->store(), day), (std::vector<std::int64_t>{1}));
}

TEST_P(RankingContract, RetentionEndsWhileTheServerRuns) {
  const auto bed = GetParam().make(kNow);
  const BookingEvent event{1, ConcertFact(1, kNow - Seconds{60}, Seconds{60})};
  bed->Record(std::span{&event, 1});
  bed->store().Tick(kNow + std::chrono::days{400});
  for (const auto id : {BoardId::kConcertsDaily, BoardId::kConcertsWeekly, BoardId::kConcertsMonthly}) {
    EXPECT_EQ(Ids(bed->store(), At(id, kNow)), (std::vector<std::int64_t>{1}));
  }
}

TEST_P(RankingContract, PrunedMonthsLeaveTheBoardsAndStayInHistory) {
  const auto bed = GetParam().make(kNow);
  const std::vector<BookingEvent> events{
      {1, ScheduleFact(1, *ParseTime("2024-12-31T10:00:00+09:00"), Seconds{60})},
      {2, ScheduleFact(2, *ParseTime("2025-01-01T10:00:00+09:00"), Seconds{60})}};
  bed->Record(events);
  const auto pruned = RunTask(bed->store().Prune(*ParseDate("2025-01-01")));
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(pruned->boards, 1);
  EXPECT_EQ(pruned->rows, 1);
  EXPECT_EQ(RunTask(bed->store().Prune(*ParseDate("2025-01-01")))->boards, 0);
  bed->Restart(kNow);
  EXPECT_EQ(RunTask(bed->store().Prune(*ParseDate("2025-01-01")))->boards, 0);
  EXPECT_EQ(Ids(bed->store(), At(BoardId::kSchedulesMonthly, "2024-12-01")), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(Ids(bed->store(), At(BoardId::kSchedulesMonthly, "2025-01-01")), (std::vector<std::int64_t>{2}));
}

TEST_P(RankingContract, ARebuildChangesNothing) {
  std::mt19937 chance(7);
  const auto bed = GetParam().make(kNow);
  const auto events = RandomHistory(chance, 500);
  bed->Record(events);
  BruteForce model;
  for (const auto& event : events) model.Add(event);
  ASSERT_TRUE(RunTask(bed->store().Rebuild()).ok());
  ExpectEqual(bed->store(), model);
}

TEST_P(RankingContract, PagesAndNeighboursShowTheSameOrder) {
  std::mt19937 chance(11);
  const auto bed = GetParam().make(kNow);
  const auto events = RandomHistory(chance, 1500);
  bed->Record(events);
  auto& store = bed->store();
  const auto board = At(BoardId::kConcertsAll, kNow);
  const auto all = Ids(store, board);
  const auto total = static_cast<std::int64_t>(all.size());
  const auto page = RunTask(store.Concerts({board, 41, 20}));
  EXPECT_EQ(page->total, total);
  ASSERT_EQ(page->entries.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(page->entries[i].rank, static_cast<std::int64_t>(41 + i));
    EXPECT_EQ(page->entries[i].concert, all[40 + i]);
  }
  EXPECT_TRUE(RunTask(store.Concerts({board, total + 1, 20}))->entries.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto around = RunTask(store.ConcertRank({board, all[i], 2}));
    ASSERT_TRUE(around.ok());
    const auto first = i > 2 ? i - 2 : 0;
    ASSERT_EQ(around->entries.size(), std::min(i + 3, all.size()) - first);
    for (std::size_t j = 0; j < around->entries.size(); ++j) {
      ASSERT_EQ(around->entries[j].concert, all[first + j]);
      ASSERT_EQ(around->entries[j].rank, static_cast<std::int64_t>(first + j + 1));
    }
  }
  EXPECT_EQ(RunTask(store.ConcertRank({board, 999'999, 0})).error(), Refusal::kNotRanked);
}

TEST_P(RankingContract, SellOutsNameTheirConcerts) {
  std::mt19937 chance(17);
  const auto bed = GetParam().make(kNow);
  const auto events = RandomHistory(chance, 50);
  bed->Record(events);
  std::vector<ConcertId> concerts;
  std::vector<std::string> titles;
  for (const auto& event : events) {
    const auto* sold_out = std::get_if<ConcertSoldOut>(&event.fact);
    if (!sold_out || std::count(concerts.begin(), concerts.end(), sold_out->concert) > 0) continue;
    concerts.push_back(sold_out->concert);
    titles.push_back(sold_out->title);
  }
  ASSERT_FALSE(concerts.empty());
  concerts.push_back(999'999);
  titles.emplace_back();
  const auto names = RunTask(bed->store().NamesOf(concerts));
  ASSERT_TRUE(names.ok());
  ASSERT_EQ(names->size(), concerts.size());
  for (std::size_t i = 0; i < concerts.size(); ++i) EXPECT_EQ((*names)[i].title, titles[i]);
}

TEST_P(RankingContract, DatesHaveTheRanksOfTheirBoards) {
  std::mt19937 chance(13);
  const auto bed = GetParam().make(kNow);
  const auto events = RandomHistory(chance, 800);
  bed->Record(events);
  auto& store = bed->store();
  std::vector<ScheduleId> schedules;
  for (const auto& event : events) {
    if (const auto* date = std::get_if<ScheduleSoldOut>(&event.fact)) schedules.push_back(date->schedule);
  }
  ASSERT_FALSE(schedules.empty());
  const auto unknown = *std::max_element(schedules.begin(), schedules.end()) + 1;
  schedules.push_back(unknown);
  const auto ranks = RunTask(store.RanksOfSchedules(schedules));
  ASSERT_TRUE(ranks.ok());
  ASSERT_EQ(ranks->size(), schedules.size());
  EXPECT_FALSE(ranks->back());
  EXPECT_FALSE(*RunTask(store.ScheduleSoldOutAt(unknown)));
  for (std::size_t i = 0; i + 1 < schedules.size(); ++i) {
    const auto at = RunTask(store.ScheduleSoldOutAt(schedules[i]));
    ASSERT_TRUE(at.ok() && *at);
    const auto rank_on = [&](BoardId board) {
      return RunTask(store.ScheduleRank({At(board, **at), schedules[i], 0}))->entries[0].rank;
    };
    ASSERT_TRUE((*ranks)[i]);
    EXPECT_EQ((*ranks)[i]->daily, rank_on(BoardId::kSchedulesDaily));
    EXPECT_EQ((*ranks)[i]->weekly, rank_on(BoardId::kSchedulesWeekly));
    EXPECT_EQ((*ranks)[i]->monthly, rank_on(BoardId::kSchedulesMonthly));
  }
}

TEST_P(RankingContract, EverySoldOutConcertHasRanksFromOne) {
  const auto bed = GetParam().make(kNow);
  // More old windows than a store caches.
  std::vector<BookingEvent> events;
  for (ConcertId id = 1; id <= 100; ++id) {
    const auto opening = kNow - std::chrono::days{400 + 40 * id};
    events.push_back({static_cast<std::uint64_t>(id), ConcertFact(id, opening, Seconds{id})});
  }
  bed->Record(events);
  for (ConcertId id = 1; id <= 100; ++id) {
    const auto ranks = RunTask(bed->store().RanksOf(id));
    ASSERT_TRUE(ranks.ok() && *ranks);
    EXPECT_EQ((*ranks)->daily, 1);
    EXPECT_EQ((*ranks)->weekly, 1);
    EXPECT_EQ((*ranks)->monthly, 1);
    EXPECT_EQ((*ranks)->all, id);
  }
}

TEST_P(RankingContract, CompositeBoardHoldsAHundredAndRanksNoneBelow) {
  const auto bed = GetParam().make(kNow);
  std::vector<BookingEvent> events;
  for (ConcertId id = 150; id >= 1; --id) {
    events.push_back(
        {static_cast<std::uint64_t>(151 - id), ConcertFact(id, kNow - Seconds{1000}, Seconds{id})});
  }
  bed->Record(events);
  auto& store = bed->store();
  const BoardWindow board{BoardId::kComposite, {}};
  const auto ids = Ids(store, board);
  ASSERT_EQ(ids.size(), 100U);
  EXPECT_EQ(ids.front(), 1);
  EXPECT_EQ(ids.back(), 100);
  EXPECT_TRUE(RunTask(store.ConcertRank({board, 100, 0})).ok());
  EXPECT_EQ(RunTask(store.ConcertRank({board, 101, 0})).error(), Refusal::kNotRanked);
}

TEST_P(RankingContract, EqualScoresAtTheCompositeBoardsEdgeAreOrderedExactly) {
  const auto bed = GetParam().make(kNow);
  std::vector<BookingEvent> events;
  // 120 concerts with one score, which caps the dates at 99. The concert with most dates is added last.
  for (ConcertId id = 1; id <= 120; ++id) {
    events.push_back(
        {static_cast<std::uint64_t>(id), ConcertFact(id, kNow - Seconds{1000}, Seconds{300}, 100 + id)});
  }
  bed->Record(events);
  const auto ids = Ids(bed->store(), {BoardId::kComposite, {}});
  ASSERT_EQ(ids.size(), 100U);
  EXPECT_EQ(ids.front(), 120);
  EXPECT_EQ(ids.back(), 21);
}

TEST_P(RankingContract, ProgressCountsUpAndDownByDateScheduleDayAndWeek) {
  const auto bed = GetParam().make(kNow);
  const auto yesterday = kNow - std::chrono::days{1};
  const std::vector<BookingEvent> events{{1, Progress(1, "2026-03-02", 4, yesterday)},
                                         {2, Progress(2, "2026-03-01", 3)},
                                         {3, Progress(3, "2026-03-01", 1)},
                                         {4, Progress(1, "2026-03-02", -1, yesterday)},
                                         {5, Progress(4, "2026-03-03", 2)},
                                         {6, Progress(4, "2026-03-03", -2)}};
  bed->Record(events);
  bed->Record(std::span{events}.subspan(2));  // delivered twice
  auto& store = bed->store();
  const auto read = [&](const BoardWindow& board) {
    std::vector<std::string> lines;
    const auto page = RunTask(store.Progress({board, 1, 10}));
    for (const auto& entry : page->entries) {
      lines.push_back(std::to_string(entry.rank) + " " + FormatDate(entry.concert_date) + " " +
                      std::to_string(entry.schedule) + " " + std::to_string(entry.reserved));
    }
    return lines;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(read({BoardId::kProgressAll, {}}), (Lines{"1 2026-03-01 0 4", "2 2026-03-02 0 3"}));
  EXPECT_EQ(read(At(BoardId::kProgressDaily, kNow)), (Lines{"1 2026-03-01 0 4"}));
  EXPECT_EQ(read(At(BoardId::kProgressDaily, yesterday)), (Lines{"1 2026-03-02 0 3"}));
  EXPECT_EQ(read(At(BoardId::kProgressWeekly, kNow)), (Lines{"1 2026-03-01 0 4", "2 2026-03-02 0 3"}));
  EXPECT_EQ(read({BoardId::kProgressSchedules, {}}),
            (Lines{"1 2026-03-02 1 3", "2 2026-03-01 2 3", "3 2026-03-01 3 1"}));
  const auto one = RunTask(store.ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2026-03-02")));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->rank, 2);
  EXPECT_EQ(one->reserved, 3);
  EXPECT_EQ(RunTask(store.ProgressOf({BoardId::kProgressAll, {}}, *ParseDate("2026-03-03"))).error(),
            Refusal::kNotRanked);
}

TEST_P(RankingContract, RepeatedImportIsStoredOnce) {
  const auto bed = GetParam().make(kNow);
  const auto opening = *ParseTime("2025-07-01T10:00:00+09:00");
  auto with_id = ConcertFact(7, opening, Seconds{300}, 2);
  auto without_id = ConcertFact(0, opening, Millis{100}, 1);
  const std::vector<SoldOutHistory> histories{
      {with_id, {ScheduleFact(71, opening, Seconds{200}), ScheduleFact(72, opening, Seconds{300})}},
      {without_id, {ScheduleFact(0, opening, Millis{100})}},
      {with_id, {}}};
  const auto first = RunTask(bed->store().Import(histories));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, (std::vector{Imported::kNew, Imported::kNew, Imported::kKnown}));
  bed->Restart(kNow);
  EXPECT_EQ(*RunTask(bed->store().Import(histories)), std::vector(3, Imported::kKnown));
  const auto ids = Ids(bed->store(), At(BoardId::kConcertsMonthly, opening));
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(ids[1], 7);
  EXPECT_EQ(Ids(bed->store(), At(BoardId::kSchedulesMonthly, opening)).size(), 3U);
}

TEST_P(RankingContract, ADateBelongsToOneConcert) {
  const auto bed = GetParam().make(kNow);
  const auto opening = *ParseTime("2025-07-01T10:00:00+09:00");
  const auto history = [&](ConcertId concert, ScheduleId date) {
    return SoldOutHistory{ConcertFact(concert, opening, Seconds{300}, 1),
                          {ScheduleFact(date, opening, Seconds{300})}};
  };
  EXPECT_EQ(*RunTask(bed->store().Import({history(7, 71), history(8, 71), history(9, 91)})),
            (std::vector{Imported::kNew, Imported::kScheduleTaken, Imported::kNew}));
  bed->Restart(kNow);
  EXPECT_EQ(*RunTask(bed->store().Import({history(10, 91)})), std::vector{Imported::kScheduleTaken});
  EXPECT_EQ(Ids(bed->store(), At(BoardId::kConcertsMonthly, opening)).size(), 2U)
      << "the refused import wrote nothing";
}

TEST_P(RankingContract, ReconcileFindsNoDriftWithoutFaults) {
  std::mt19937 chance(3);
  const auto bed = GetParam().make(kNow);
  bed->Record(RandomHistory(chance, 500));
  const auto report = RunTask(bed->store().Reconcile());
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->checked, 0);
  EXPECT_EQ(report->drift, 0);
}

TEST_P(RankingContract, EveryChangeMovesTheVersion) {
  const auto bed = GetParam().make(kNow);
  const auto before = bed->store().VersionsAtOnce();
  if (!before) return;  // a store with shared boards has no versions
  const BookingEvent sold_out{1, ConcertFact(1, kNow - Seconds{60}, Seconds{60})};
  bed->Record(std::span{&sold_out, 1});
  const auto after_sold_out = bed->store().VersionsAtOnce();
  EXPECT_NE(before->sold_outs, after_sold_out->sold_outs);
  const BookingEvent progress{2, Progress(1, "2026-03-01", 1)};
  bed->Record(std::span{&progress, 1});
  EXPECT_NE(after_sold_out->progress, bed->store().VersionsAtOnce()->progress);
}

TEST_P(RankingContract, ASellOutIsAnnouncedWithItsRanks) {
  const auto bed = GetParam().make(kNow);
  std::vector<RankingMovement> seen;
  bed->store().OnMovement([&](const RankingMovement& movement) { seen.push_back(movement); });
  const std::vector<BookingEvent> events{{1, ConcertFact(1, kNow - Seconds{60}, Seconds{30})},
                                         {2, ConcertFact(2, kNow - Seconds{60}, Seconds{60})},
                                         {3, ConcertFact(1, kNow - Seconds{60}, Seconds{60})}};
  bed->Record(events);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(std::get<RankedConcert>(seen[1].entry).concert, 2);
  EXPECT_EQ(seen[1].ranks.daily, 2);
  EXPECT_EQ(seen[1].ranks.all, 2);
}

}  // namespace
}  // namespace maejin
