// Controls of the property test: comparators with one fault each. The random histories must distinguish them
// from the correct one, or they could not detect a faulty store.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/contract/ranking_model.h"

namespace maejin {
namespace {

std::int64_t InUnit(const PlainRow& row, bool seconds) {
  return seconds ? row.duration_ms / 1000 : row.duration_ms;
}

// The correct comparator, then faulty ones.
bool Copy(const PlainRow& a, const PlainRow& b, bool seconds) {
  if (InUnit(a, seconds) != InUnit(b, seconds)) return InUnit(a, seconds) < InUnit(b, seconds);
  if (a.dates != b.dates) return a.dates > b.dates;
  if (a.started_ms != b.started_ms) return a.started_ms < b.started_ms;
  return a.id < b.id;
}

template <class Key>
bool By(Key key, const PlainRow& a, const PlainRow& b) {
  return key(a) < key(b);
}

bool FewerDatesFirst(const PlainRow& a, const PlainRow& b, bool seconds) {
  return By([&](const PlainRow& r) { return std::tuple(InUnit(r, seconds), r.dates, r.started_ms, r.id); }, a,
            b);
}
bool DatesIgnored(const PlainRow& a, const PlainRow& b, bool seconds) {
  return By([&](const PlainRow& r) { return std::tuple(InUnit(r, seconds), r.started_ms, r.id); }, a, b);
}
bool DatesBeyondAHundredAlike(const PlainRow& a, const PlainRow& b, bool seconds) {
  const auto key = [&](const PlainRow& r) {
    return std::tuple(InUnit(r, seconds), -std::min<std::int64_t>(r.dates, 100), r.started_ms, r.id);
  };
  return By(key, a, b);
}
bool LaterOpeningFirst(const PlainRow& a, const PlainRow& b, bool seconds) {
  return By([&](const PlainRow& r) { return std::tuple(InUnit(r, seconds), -r.dates, -r.started_ms, r.id); },
            a, b);
}
bool OpeningInSeconds(const PlainRow& a, const PlainRow& b, bool seconds) {
  const auto key = [&](const PlainRow& r) {
    return std::tuple(InUnit(r, seconds), -r.dates, r.started_ms / 1000, r.id);
  };
  return By(key, a, b);
}
bool OpeningIgnored(const PlainRow& a, const PlainRow& b, bool seconds) {
  return By([&](const PlainRow& r) { return std::tuple(InUnit(r, seconds), -r.dates, r.id); }, a, b);
}
bool LargerIdFirst(const PlainRow& a, const PlainRow& b, bool seconds) {
  return By([&](const PlainRow& r) { return std::tuple(InUnit(r, seconds), -r.dates, r.started_ms, -r.id); },
            a, b);
}
bool IdAsText(const PlainRow& a, const PlainRow& b, bool seconds) {
  const auto key = [&](const PlainRow& r) {
    return std::tuple(InUnit(r, seconds), -r.dates, r.started_ms, std::to_string(r.id));
  };
  return By(key, a, b);
}
bool AlwaysInMillis(const PlainRow& a, const PlainRow& b, bool) { return Copy(a, b, false); }
bool AlwaysInSeconds(const PlainRow& a, const PlainRow& b, bool) { return Copy(a, b, true); }
bool SecondsRounded(const PlainRow& a, const PlainRow& b, bool seconds) {
  const auto key = [&](const PlainRow& r) {
    const auto duration = seconds ? (r.duration_ms + 500) / 1000 : r.duration_ms;
    return std::tuple(duration, -r.dates, r.started_ms, r.id);
  };
  return By(key, a, b);
}
// The order of a sorted set: scores exact only below 2^53, ties by the member's text.
bool ScoreAsADouble(const PlainRow& a, const PlainRow& b, bool seconds) {
  if (!seconds || a.dates == 0 || b.dates == 0) return Copy(a, b, seconds);
  const auto score = [](const PlainRow& r) {
    const auto digits = std::max<std::int64_t>(100 - r.dates, 0);
    return static_cast<double>(InUnit(r, true)) * 1e12 + static_cast<double>(digits) * 1e10 +
           static_cast<double>(r.started_ms / 1000);
  };
  return std::tuple(score(a), a.id) < std::tuple(score(b), b.id);
}

struct Fault {
  const char* name;
  PlainLess less;
};
constexpr Fault kFaults[] = {
    {"fewer dates first", FewerDatesFirst},
    {"dates ignored", DatesIgnored},
    {"dates beyond a hundred alike", DatesBeyondAHundredAlike},
    {"later opening first", LaterOpeningFirst},
    {"opening in seconds", OpeningInSeconds},
    {"opening ignored", OpeningIgnored},
    {"larger id first", LargerIdFirst},
    {"id as text", IdAsText},
    {"always in milliseconds", AlwaysInMillis},
    {"always in seconds", AlwaysInSeconds},
    {"seconds rounded", SecondsRounded},
    {"score as a double", ScoreAsADouble},
};

// How many histories of the property test show a difference.
int HistoriesWithDifferences(PlainLess less) {
  int told = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 chance(seed);
    BruteForce right;
    BruteForce suspect(less);
    for (const auto& event : RandomHistory(chance, 300 + seed * 100)) {
      right.Add(event);
      suspect.Add(event);
    }
    told += right.Boards() != suspect.Boards();
  }
  return told;
}

TEST(RankingFaults, CorrectComparatorShowsNoDifference) { EXPECT_EQ(HistoriesWithDifferences(Copy), 0); }

TEST(RankingFaults, ControlFaultyComparatorsAreDetected) {
  for (const auto& fault : kFaults) EXPECT_GT(HistoriesWithDifferences(fault.less), 0) << fault.name;
}

}  // namespace
}  // namespace maejin
