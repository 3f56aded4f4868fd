#include "adapters/embedded/ranked_rows.h"

#include <gtest/gtest.h>

#include <random>

#include "adapters/embedded/sold_out_table.h"

namespace maejin::embedded {
namespace {

// Few different durations, so that blocks begin and end within ties.
struct Keys {
  std::vector<SoldOutKey> keys;
  SoldOutKey key(Row row) const { return keys[row]; }
  Millis duration(Row row) const { return keys[row].duration; }
  void Prefetch(Row) const {}

  static Keys Random(std::size_t count, unsigned seed) {
    std::mt19937 chance(seed);
    const auto pick = [&](std::int64_t below) { return static_cast<std::int64_t>(chance()) % below; };
    Keys made;
    for (std::size_t i = 0; i < count; ++i) {
      made.keys.push_back(
          {Millis{pick(3000)}, pick(3), TimeFromMillis(pick(5)), static_cast<std::int64_t>(i) + 1});
    }
    return made;
  }
  std::vector<Row> Sorted(DurationUnit unit) const {
    std::vector<Row> rows(keys.size());
    for (Row row = 0; row < rows.size(); ++row) rows[row] = row;
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) { return RanksBefore(keys[a], keys[b], unit); });
    return rows;
  }
};

void ExpectOrder(const RankedRows& ranked, const Keys& keys, const std::vector<Row>& expected) {
  ASSERT_EQ(ranked.size(), expected.size());
  std::vector<Row> seen;
  ranked.ForEach(0, expected.size(), [&](Row row) { seen.push_back(row); });
  ASSERT_EQ(seen, expected);
  for (std::size_t i = 0; i < expected.size(); i += 7) {
    ASSERT_EQ(ranked.RankOf(keys, expected[i]), i);
    ASSERT_EQ(ranked.At(i), expected[i]);
  }
}

TEST(RankedRows, RowsOneByOneManyAtOnceAndAllTogetherGiveOneOrder) {
  for (const auto unit : {DurationUnit::kMillis, DurationUnit::kSeconds}) {
    const auto keys = Keys::Random(5000, 42);
    const auto expected = keys.Sorted(unit);
    RankedRows singly(unit);
    RankedRows in_groups(unit);
    RankedRows together(unit);
    std::vector<Row> group;
    for (Row row = 0; row < 5000; ++row) {
      singly.Insert(keys, row);
      group.push_back(row);
      if (group.size() == 700 || row == 4999) {
        in_groups.InsertAll(keys, group);
        group.clear();
      }
    }
    together.Build(keys, std::vector<Row>(expected.rbegin(), expected.rend()));
    ExpectOrder(singly, keys, expected);
    ExpectOrder(in_groups, keys, expected);
    ExpectOrder(together, keys, expected);
  }
}

TEST(RankedRows, ARowThatIsNotThereHasNoRank) {
  const auto keys = Keys::Random(2000, 7);
  RankedRows ranked(DurationUnit::kMillis);
  for (Row row = 0; row < 1999; ++row) ranked.Insert(keys, row);
  EXPECT_EQ(ranked.RankOf(keys, 1999), ranked.size());
  EXPECT_EQ(RankedRows(DurationUnit::kMillis).RankOf(keys, 3), 0U);
}

TEST(RankedRows, TruncatingKeepsTheFirst) {
  const auto keys = Keys::Random(2000, 9);
  auto expected = keys.Sorted(DurationUnit::kMillis);
  RankedRows ranked(DurationUnit::kMillis);
  ranked.Build(keys, expected);
  ranked.Truncate(600);
  expected.resize(600);
  ExpectOrder(ranked, keys, expected);
}

TEST(SoldOutTable, KeepsTheFirstAndFindsEveryOneOfMany) {
  ConcertTable table;
  const auto concert = [](ConcertId id) {
    return ConcertSoldOut{.concert = id,
                          .title = "제목 " + std::to_string(id),
                          .artist = "가수 " + std::to_string(id % 10),
                          .venue = "홀",
                          .dates = 1 + id % 3,
                          .seats = 10,
                          .booking_open_at = TimeFromMillis(id),
                          .sold_out_at = TimeFromMillis(id * 3)};
  };
  for (ConcertId id = 1; id <= 20'000; ++id) ASSERT_TRUE(table.Add(concert(id * 1'000'003)));
  EXPECT_FALSE(table.Add(concert(1'000'003)));
  for (ConcertId id = 1; id <= 20'000; ++id) {
    const auto row = table.Find(id * 1'000'003);
    ASSERT_TRUE(row);
    ASSERT_TRUE(table.Equals(*row, concert(id * 1'000'003)));
  }
  EXPECT_FALSE(table.Find(5));
  EXPECT_LT(table.bytes() / 20'000, 120U);
}

TEST(SoldOutTable, KeepsEveryInstantThatCanBeWritten) {
  ConcertTable table;
  const ConcertSoldOut longest{.concert = (std::int64_t{1} << 53) - 1,
                               .title = std::string(500, 'x'),
                               .artist = "가수",
                               .venue = "홀",
                               .dates = 10'000,
                               .seats = 1,
                               .booking_open_at = *ParseTime("1970-01-01T00:00:00.000Z"),
                               .sold_out_at = *ParseTime("9999-12-31T23:59:59.999Z")};
  auto latest = longest;
  latest.concert = 1;
  latest.booking_open_at = latest.sold_out_at;
  for (const auto& sold_out : {longest, latest}) {
    const auto row = table.Add(sold_out);
    ASSERT_TRUE(row);
    EXPECT_TRUE(table.Equals(*row, sold_out));
    EXPECT_EQ(table.sold_out_at(*row), sold_out.sold_out_at);
  }
}

}  // namespace
}  // namespace maejin::embedded
