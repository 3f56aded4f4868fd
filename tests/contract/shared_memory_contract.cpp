#include "tests/contract/shared_memory_contract.h"

#include <algorithm>
#include <numeric>

#include "base/run_task.h"
#include "domain/ranking/import_ids.h"
#include "tests/support/admissions.h"

namespace maejin {
namespace {

const Time kMemoryNow = *ParseTime("2026-01-02T12:00:00.123Z");

AdmissionRecord Entered(const RoomId& room, const UserId& user, PlaceNumber number) {
  return {.room = room,
          .user = user,
          .number = number,
          .epoch = 3,
          .entered_at = kMemoryNow,
          .session_ends_at = kMemoryNow + Seconds{1800}};
}

ConcertSoldOut Concert(ConcertId id, Time sold_out_at) {
  return {.concert = id,
          .title = "제목 " + std::to_string(id),
          .artist = "artist",
          .venue = "venue",
          .dates = 1,
          .seats = 50,
          .booking_open_at = sold_out_at - Millis{100 + id},
          .sold_out_at = sold_out_at};
}

ScheduleSoldOut Schedule(ScheduleId id, ConcertId concert, Time sold_out_at) {
  return {.schedule = id,
          .concert = concert,
          .concert_date = *ParseDate("2026-03-01"),
          .seats = 50,
          .started_at = sold_out_at - Millis{100},
          .sold_out_at = sold_out_at};
}

template <class Rows, class IdOf>
std::vector<std::int64_t> Sorted(const Rows& rows, IdOf id_of) {
  std::vector<std::int64_t> ids;
  for (const auto& row : rows) ids.push_back(row.*id_of);
  std::sort(ids.begin(), ids.end());
  return ids;
}

using Ids = std::vector<std::int64_t>;

TEST_P(SharedMemoryContract, AnAdmissionIsFoundAfterARestart) {
  const auto minji = Entered("42", "minji", 7);
  ASSERT_TRUE(RunTask(bed_->admissions().Record({minji})).ok());
  bed_->Restart();
  EXPECT_EQ(FindAdmission(bed_->admissions(), "42", "minji", 7), minji);
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "42", "minji", 8).has_value());
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "42", "jisoo", 7).has_value());
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "43", "minji", 7).has_value());
}

TEST_P(SharedMemoryContract, UsersAndRoomsThatDifferByATrailingSpaceAreKeptApart) {
  const auto minji = Entered("42", "minji", 7);
  const auto padded = Entered("42", "minji ", 7);
  ASSERT_TRUE(RunTask(bed_->admissions().Record({minji})).ok());
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "42", "minji ", 7).has_value());
  ASSERT_TRUE(RunTask(bed_->admissions().Record({padded})).ok());
  EXPECT_EQ(FindAdmission(bed_->admissions(), "42", "minji ", 7), padded);
  EXPECT_EQ(FindAdmission(bed_->admissions(), "42", "minji", 7), minji);
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "42 ", "minji", 7).has_value());
}

TEST_P(SharedMemoryContract, AnEndOnceKnownStays) {
  auto record = Entered("42", "minji", 7);
  ASSERT_TRUE(RunTask(bed_->admissions().Record({record})).ok());
  auto ended = record;
  ended.ended_at = kMemoryNow + Seconds{5};
  ASSERT_TRUE(RunTask(bed_->admissions().Record({ended})).ok());
  // The admission is recorded again, late, and so is another end.
  auto later = record;
  later.ended_at = kMemoryNow + Seconds{50};
  ASSERT_TRUE(RunTask(bed_->admissions().Record({record, later})).ok());
  EXPECT_EQ(FindAdmission(bed_->admissions(), "42", "minji", 7)->ended_at, ended.ended_at);
}

TEST_P(SharedMemoryContract, BatchRecordsEveryAdmission) {
  std::vector<AdmissionRecord> crowd;
  for (PlaceNumber number = 1; number <= 100; ++number) {
    auto one = Entered("42", "fan" + std::to_string(number), number);
    if (number == 40) one.room = "43";
    if (number > 60) one.entered_at = kMemoryNow + Millis{number};
    if (number % 30 == 0) one.ended_at = kMemoryNow + Seconds{number};
    crowd.push_back(std::move(one));
  }
  ASSERT_TRUE(RunTask(bed_->admissions().Record({crowd[0], crowd[29]})).ok()) << "two are repeated";
  ASSERT_TRUE(RunTask(bed_->admissions().Record(crowd)).ok());
  for (const auto& one : crowd)
    EXPECT_EQ(FindAdmission(bed_->admissions(), one.room, one.user, one.number), one);
  std::vector<PlaceNumber> numbers(200);
  std::iota(numbers.begin(), numbers.end(), PlaceNumber{1});
  auto admitted = RunTask(bed_->admissions().Admitted("42", numbers)).value();
  std::ranges::sort(admitted, {}, &AdmissionRecord::number);
  std::erase_if(crowd, [](const auto& one) { return one.room != "42"; });
  EXPECT_EQ(admitted, crowd);
  EXPECT_TRUE(RunTask(bed_->admissions().Admitted("42", {}))->empty());
  EXPECT_EQ(RunTask(bed_->admissions().Inside("42", kMemoryNow))->size(), 96U);
}

TEST_P(SharedMemoryContract, InsideListsAdmissionsNeitherEndedNorExpired) {
  auto gone = Entered("42", "gone", 2);
  gone.ended_at = kMemoryNow;
  auto late = Entered("42", "late", 3);
  late.session_ends_at = kMemoryNow + Seconds{10};
  ASSERT_TRUE(RunTask(bed_->admissions().Record({Entered("42", "third", 9), gone, late,
                                                 Entered("42", "first", 1), Entered("43", "other", 4)}))
                  .ok());
  const auto inside = RunTask(bed_->admissions().Inside("42", kMemoryNow + Seconds{10}));
  ASSERT_EQ(inside->size(), 2U);
  EXPECT_EQ((*inside)[0].user, "first");
  EXPECT_EQ((*inside)[1].user, "third");
}

TEST_P(SharedMemoryContract, LastAdmittedIsTheNumberOfTheNewestAdmission) {
  auto& log = bed_->admissions();
  EXPECT_EQ(*RunTask(log.LastAdmitted("42")), 0U);
  auto newest = Entered("42", "newest", 5);
  newest.entered_at = kMemoryNow + Seconds{1};
  newest.ended_at = kMemoryNow + Seconds{2};
  ASSERT_TRUE(RunTask(log.Record({newest, Entered("42", "older", 9), Entered("43", "other", 70)})).ok());
  EXPECT_EQ(*RunTask(log.LastAdmitted("42")), 5U);
  EXPECT_EQ(*RunTask(log.LastAdmitted("43")), 70U);
}

TEST_P(SharedMemoryContract, OldAdmissionsArePruned) {
  ASSERT_TRUE(RunTask(bed_->admissions().Record({Entered("42", "minji", 7)})).ok());
  ASSERT_TRUE(RunTask(bed_->admissions().Forget(kMemoryNow + Seconds{1800})).ok());
  EXPECT_TRUE(FindAdmission(bed_->admissions(), "42", "minji", 7).has_value());
  ASSERT_TRUE(RunTask(bed_->admissions().Forget(kMemoryNow + Seconds{1801})).ok());
  EXPECT_FALSE(FindAdmission(bed_->admissions(), "42", "minji", 7).has_value());
}

TEST_P(SharedMemoryContract, PrunedAdmissionStaysKnownAsUsed) {
  ASSERT_TRUE(RunTask(bed_->admissions().Record({Entered("42", "minji", 7)})).ok());
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(RunTask(bed_->admissions().Forget(kMemoryNow + Seconds{1801})).ok());
  bed_->Restart();
  const auto admitted = RunTask(bed_->admissions().Admitted("42", {6, 7, 8}));
  ASSERT_EQ(admitted->size(), 1U);
  EXPECT_EQ(admitted->front().user, "");
  EXPECT_EQ(admitted->front().number, 7U);
  EXPECT_TRUE(admitted->front().ended_at.has_value());
  EXPECT_TRUE(RunTask(bed_->admissions().Admitted("43", {7}))->empty()) << "another room";
}

TEST_P(SharedMemoryContract, SavedRoomKeepsItsHighestNumberAndNewestSettings) {
  auto& log = bed_->admissions();
  ASSERT_TRUE(RunTask(log.SaveRoom({"42", 5, 1000, "first", 1})).ok());
  ASSERT_TRUE(RunTask(log.SaveRoom({"42", 5, 900, "third\nline", 3})).ok());
  ASSERT_TRUE(RunTask(log.SaveRoom({"42", 5, 1100, "second", 2})).ok()) << "the number is news";
  ASSERT_TRUE(RunTask(log.SaveRoom({"main", 1, 0, ""})).ok());
  bed_->Restart();
  EXPECT_EQ(*RunTask(bed_->admissions().Room("42")), (SavedRoom{"42", 5, 1100, "third\nline", 3}));
  EXPECT_EQ(*RunTask(bed_->admissions().Room("main")), (SavedRoom{"main", 1, 0, "", 0}));
  EXPECT_FALSE(RunTask(bed_->admissions().Room("4"))->has_value());
  ASSERT_TRUE(RunTask(bed_->admissions().SaveRoom({"42", 6, 1100, "of a new epoch", 1})).ok());
  EXPECT_EQ(*RunTask(bed_->admissions().Room("42")), (SavedRoom{"42", 6, 1100, "of a new epoch", 1}));
}

TEST_P(SharedMemoryContract, RoomOfAnEarlierEpochIsNotSaved) {
  ASSERT_TRUE(RunTask(bed_->admissions().SaveRoom({"42", 5, 1000, "now", 1})).ok());
  bed_->Restart();
  const auto saved = RunTask(bed_->admissions().SaveRoom({"42", 4, 1100, "before", 9}));
  EXPECT_EQ(saved.error(), Refusal::kFencedEpoch);
  EXPECT_EQ(*RunTask(bed_->admissions().Room("42")), (SavedRoom{"42", 5, 1000, "now", 1}));
}

TEST_P(SharedMemoryContract, AdmissionInAStaleEpochIsRefused) {
  ASSERT_TRUE(RunTask(bed_->admissions().SaveRoom({"42", 3, 0, ""})).ok());
  ASSERT_TRUE(RunTask(bed_->admissions().Record({Entered("42", "minji", 7)})).ok());
  ASSERT_TRUE(RunTask(bed_->admissions().SaveRoom({"42", 4, 0, ""})).ok());
  for (int restart = 0; restart < 2; ++restart) {
    auto& log = bed_->admissions();
    EXPECT_EQ(RunTask(log.Record({Entered("43", "suji", 1), Entered("42", "jisoo", 8)})).error(),
              Refusal::kFencedEpoch);
    EXPECT_FALSE(FindAdmission(log, "42", "jisoo", 8).has_value());
    EXPECT_FALSE(FindAdmission(log, "43", "suji", 1).has_value()) << "all or nothing";
    bed_->Restart();
  }
  auto left = Entered("42", "minji", 7);
  left.ended_at = kMemoryNow;
  EXPECT_TRUE(RunTask(bed_->admissions().Record({left})).ok()) << "an end is accepted in a stale epoch";
  EXPECT_TRUE(RunTask(bed_->admissions().Inside("42", kMemoryNow))->empty());
}

TEST_P(SharedMemoryContract, SoldOutsAreReadInOrderAndInPages) {
  for (const ConcertId id : {30, 10, 20}) {
    const std::vector schedules{Schedule(id * 10, id, kMemoryNow), Schedule(id * 10 + 1, id, kMemoryNow)};
    bed_->SellOut(Concert(id, kMemoryNow), schedules);
  }
  auto& history = bed_->history();
  const auto first = RunTask(history.ConcertsAfter(INT64_MIN, 2));
  ASSERT_EQ(first->size(), 2U);
  EXPECT_EQ((*first)[0].concert, 10);
  EXPECT_EQ((*first)[0].title, "제목 10");
  EXPECT_EQ((*first)[0].sold_out_at, kMemoryNow);
  EXPECT_EQ((*first)[0].booking_open_at, kMemoryNow - Millis{110});
  EXPECT_EQ((*first)[1].concert, 20);
  EXPECT_EQ(Sorted(*RunTask(history.ConcertsAfter(20, 2)), &ConcertSoldOut::concert), Ids{30});
  const auto schedules = RunTask(history.SchedulesAfter(101, 100));
  EXPECT_EQ(Sorted(*schedules, &ScheduleSoldOut::schedule), (Ids{200, 201, 300, 301}));
  EXPECT_EQ((*schedules)[0].concert, 20);
  EXPECT_EQ((*schedules)[0].concert_date, *ParseDate("2026-03-01"));
  EXPECT_EQ(RunTask(history.Count())->concerts, 3);
  EXPECT_EQ(RunTask(history.Count())->schedules, 6);
}

TEST_P(SharedMemoryContract, TimeRangeIncludesItsStartAndExcludesItsEnd) {
  for (ConcertId id = 1; id <= 4; ++id) {
    const std::vector schedules{Schedule(id, id, kMemoryNow + Millis{id})};
    bed_->SellOut(Concert(id, kMemoryNow + Millis{id}), schedules);
  }
  const TimeRange range{kMemoryNow + Millis{2}, kMemoryNow + Millis{4}};
  EXPECT_EQ(Sorted(*RunTask(bed_->history().ConcertsIn(range)), &ConcertSoldOut::concert), (Ids{2, 3}));
  EXPECT_EQ(Sorted(*RunTask(bed_->history().SchedulesIn(range)), &ScheduleSoldOut::schedule), (Ids{2, 3}));
}

TEST_P(SharedMemoryContract, HistoryIsImportedOnce) {
  SoldOutHistory past{Concert(0, kMemoryNow), {Schedule(0, 0, kMemoryNow)}};
  AssignIds(past);
  bed_->SellOut(Concert(7, kMemoryNow), {});
  const SoldOutHistory known{Concert(7, kMemoryNow - Seconds{9}), {}};
  EXPECT_EQ(*RunTask(bed_->history().Import({past, known, past})),
            (std::vector{Imported::kNew, Imported::kKnown, Imported::kKnown}));
  bed_->Restart();
  EXPECT_EQ(*RunTask(bed_->history().Import({past})), std::vector{Imported::kKnown});
  const auto all = RunTask(bed_->history().ConcertsAfter(INT64_MIN, 10));
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].sold_out_at, kMemoryNow);
  EXPECT_EQ((*all)[1].concert, past.concert.concert);
  EXPECT_EQ(RunTask(bed_->history().Count())->schedules, 1);
}

TEST_P(SharedMemoryContract, PrunedMonthsStayPruned) {
  const auto new_year = *ParseDate("2025-01-01");
  EXPECT_EQ(*RunTask(bed_->history().PrunedBefore()), *ParseDate("1970-01-01"));
  EXPECT_EQ(*RunTask(bed_->history().Prune(new_year)), new_year);
  EXPECT_EQ(*RunTask(bed_->history().Prune(*ParseDate("2024-06-01"))), new_year);
  bed_->Restart();
  EXPECT_EQ(*RunTask(bed_->history().PrunedBefore()), new_year);
}

TEST_P(SharedMemoryContract, ProgressIsEmptyBeforeTheFirstHold) {
  const auto reserved = RunTask(bed_->history().Reserved());
  ASSERT_TRUE(reserved.ok());
  EXPECT_TRUE(reserved->seats.empty());
  EXPECT_TRUE(reserved->pending.empty());
}

SalePoint PointAt(int seconds, std::int64_t expired, std::int64_t micros) {
  SalePoint point;
  point.at = kMemoryNow + Seconds{seconds};
  point.arrivals = 10 + seconds;
  point.expired = expired;
  point.p99 = std::chrono::microseconds{micros};
  return point;
}

std::vector<std::int64_t> ExpiredOf(const std::vector<SalePoint>& points) {
  std::vector<std::int64_t> counts;
  for (const auto& point : points) counts.push_back(point.expired);
  return counts;
}

TEST_P(SharedMemoryContract, SeriesAddsExpiredHoldsOfAllNodesAndKeepsTheLargerP99) {
  auto& series = bed_->series();
  ASSERT_TRUE(RunTask(series.Add({{42, PointAt(0, 2, 500)}, {43, PointAt(0, 7, 1)}})).ok());
  ASSERT_TRUE(RunTask(series.Add({{42, PointAt(5, 0, 0)}, {42, PointAt(10, 1, 250)}})).ok());
  // Another node measures the same moments, the earlier one late.
  auto other = PointAt(10, 0, 100);
  other.arrivals = 999;
  ASSERT_TRUE(RunTask(series.Add({{42, other}})).ok());
  ASSERT_TRUE(RunTask(series.Add({{42, PointAt(0, 4, 2500)}})).ok());
  bed_->Restart();
  const auto points = RunTask(bed_->series().Read(42, Time{})).value();
  EXPECT_EQ(ExpiredOf(points), (std::vector<std::int64_t>{6, 6, 7}));
  EXPECT_EQ(points, (std::vector<SalePoint>{PointAt(0, 6, 2500), PointAt(5, 6, 0), PointAt(10, 7, 250)}));
  EXPECT_EQ(ExpiredOf(*RunTask(bed_->series().Read(43, Time{}))), (std::vector<std::int64_t>{7}));
  // Thinning keeps the last point of a span, and with it the count.
  ASSERT_TRUE(RunTask(bed_->series().Thin(kMemoryNow + Seconds{60}, std::chrono::minutes(1))).ok());
  EXPECT_EQ(*RunTask(bed_->series().Read(42, Time{})), (std::vector<SalePoint>{PointAt(10, 7, 250)}));
}

}  // namespace
}  // namespace maejin
