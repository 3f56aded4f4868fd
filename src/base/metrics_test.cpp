#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace maejin {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MetricsTest, CountsFromManyThreadsAddUp) {
  Metrics metrics;
  auto& counter = metrics.AddCounter("maejin_things_total", "Things.");
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) counter.Add();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter.Value(), 12'000U);
  EXPECT_THAT(metrics.Text(), HasSubstr("# TYPE maejin_things_total counter\nmaejin_things_total 12000\n"));
}

TEST(MetricsTest, AHistogramCountsUpToEachBound) {
  Metrics metrics;
  auto& histogram = metrics.AddHistogram("maejin_wait_seconds", "Waits.", {0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) histogram.Observe(value);
  const auto text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("maejin_wait_seconds_bucket{le=\"0.1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("maejin_wait_seconds_bucket{le=\"1\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("maejin_wait_seconds_bucket{le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("maejin_wait_seconds_count 4\n"));
  EXPECT_THAT(text, HasSubstr("maejin_wait_seconds_sum 7.65"));
}

TEST(MetricsTest, SeriesOfOneNameShareAFamilyAndUnusedSeriesAreOmitted) {
  Metrics metrics;
  metrics.AddCounter("maejin_x_total", "X.", {{"kind", "a"}}).Add(2);
  metrics.AddCounter("maejin_x_total", "X.", {{"kind", "b"}});
  const auto text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("maejin_x_total{kind=\"a\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("kind=\"b\"")));
  EXPECT_EQ(text.find("# TYPE maejin_x_total"), text.rfind("# TYPE maejin_x_total"));
}

TEST(MetricsTest, AGaugeFunctionIsReadAtEveryScrape) {
  Metrics metrics;
  double value = 1;
  metrics.AddGaugeOf("maejin_now", "Now.", [&] { return value; });
  EXPECT_THAT(metrics.Text(), HasSubstr("maejin_now 1\n"));
  value = 2;
  EXPECT_THAT(metrics.Text(), HasSubstr("maejin_now 2\n"));
}

TEST(MetricsTest, FamilyFunctionsAreReadAtEveryScrape) {
  Metrics metrics;
  std::vector<MetricFamily::Sample> samples{{{{"room", "a \"b\""}}, 3}};
  metrics.AddFamiliesOf([&] {
    return std::vector<MetricFamily>{
        {"maejin_room_waiting", "Waiting fans.", MetricFamily::Type::kGauge, samples}};
  });
  EXPECT_THAT(metrics.Text(), HasSubstr("# TYPE maejin_room_waiting gauge\n"
                                        "maejin_room_waiting{room=\"a \\\"b\\\"\"} 3\n"));
  samples = {{{{"room", "c"}}, 4}};
  EXPECT_THAT(metrics.Text(), HasSubstr("maejin_room_waiting{room=\"c\"} 4\n"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("room=\"a")));
  samples.clear();
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("maejin_room_waiting")));
}

TEST(MetricsTest, QuantileIsOfTheObservationsBetweenTwoReadingsOverAllLabels) {
  Metrics metrics;
  auto& fast = metrics.AddHistogram("maejin_wait_seconds", "Waits.", {0.1, 1}, {{"route", "a"}});
  auto& slow = metrics.AddHistogram("maejin_wait_seconds", "Waits.", {0.1, 1}, {{"route", "b"}});
  slow.Observe(5);
  const auto before = metrics.CountsOf("maejin_wait_seconds");
  EXPECT_FALSE(QuantileBetween(before, before, 0.99)) << "no observation since";
  for (int i = 0; i < 99; ++i) fast.Observe(0.05);
  slow.Observe(0.5);
  const auto now = metrics.CountsOf("maejin_wait_seconds");
  EXPECT_EQ(QuantileBetween(before, now, 0.99), 0.1);
  EXPECT_EQ(QuantileBetween(before, now, 0.995), 1);
  EXPECT_EQ(QuantileBetween({}, now, 1), 1) << "above the last bound";
  EXPECT_FALSE(QuantileBetween({}, metrics.CountsOf("maejin_other_seconds"), 0.99));
}

}  // namespace
}  // namespace maejin
