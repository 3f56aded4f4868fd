#include "cli/top/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maejin::cli {
namespace {

using ::testing::Optional;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(MetricsText, ReadsNamesLabelsAndValues) {
  const auto metrics = ParseMetrics(
      "# HELP a_total Things.\n# TYPE a_total counter\n"
      "a_total{kind=\"x\",route=\"/a{b},c\"} 3\n"
      "a_total{kind=\"y\"} 4.5e2 1763262000000\n"
      "b 0.25\r\nc +Inf\n\nd{} 1");
  EXPECT_THAT(metrics.at("a_total"),
              UnorderedElementsAre(Pair("kind=\"x\",route=\"/a{b},c\"", 3), Pair("kind=\"y\"", 450)));
  EXPECT_EQ(metrics.at("b").at(""), 0.25);
  EXPECT_TRUE(std::isinf(metrics.at("c").at("")));
  EXPECT_EQ(metrics.at("d").at(""), 1);
  EXPECT_EQ(metrics.size(), 4U);
}

TEST(MetricsText, IgnoresMalformedLines) {
  for (const auto* line : {"",
                           " ",
                           "a",
                           "a ",
                           "a x",
                           "a 1x",
                           "a NaN",
                           "1a 2",
                           "a{ 1",
                           "a{b} 1",
                           "a{b=1} 1",
                           "a{b=\"1} 1",
                           "a{b=\"1\" 1",
                           "a{b=\"1\"}",
                           "a{=\"1\"} 1",
                           "{b=\"1\"} 1",
                           "a1",
                           "\xff 1",
                           "a{b=\"\\\"} 1",
                           "<html>",
                           "a{b=\"1\"}2",
                           "#a 1"}) {
    EXPECT_TRUE(ParseMetrics(line).empty()) << line;
    EXPECT_EQ(ParseMetrics(std::string(line) + "\ngood 1\n").at("good").at(""), 1) << line;
  }
}

TEST(MetricsText, LabelValueIsUnescaped) {
  constexpr std::string_view kLabels = R"(room="a \"b\" \\ c",le="+Inf",last="")";
  EXPECT_THAT(LabelOf(kLabels, "room"), Optional(std::string(R"(a "b" \ c)")));
  EXPECT_THAT(LabelOf(kLabels, "le"), Optional(std::string("+Inf")));
  EXPECT_THAT(LabelOf(kLabels, "last"), Optional(std::string()));
  EXPECT_EQ(LabelOf(kLabels, "oom"), std::nullopt);
  EXPECT_EQ(LabelOf("", "room"), std::nullopt);
}

TEST(MetricsText, SumsTheSelectedSeries) {
  const auto metrics = ParseMetrics("a{s=\"200\"} 5\na{s=\"404\"} 2\na{s=\"400\"} 1\n");
  EXPECT_THAT(SumOf(metrics, "a"), Optional(8.0));
  const auto refused = [](std::string_view labels) { return LabelOf(labels, "s")->starts_with('4'); };
  EXPECT_THAT(SumOf(metrics, "a", refused), Optional(3.0));
  EXPECT_EQ(SumOf(metrics, "b"), std::nullopt) << "unknown is not 0";
}

TEST(MetricsText, ResetCounterNeverDecreases) {
  const auto before = ParseMetrics("a{s=\"1\"} 100\na{s=\"2\"} 10\n");
  EXPECT_THAT(GrowthOf(before, ParseMetrics("a{s=\"1\"} 130\na{s=\"2\"} 10\n"), "a"), Optional(30.0));
  EXPECT_THAT(GrowthOf(before, ParseMetrics("a{s=\"1\"} 7\n"), "a"), Optional(7.0)) << "since the reset";
  EXPECT_THAT(GrowthOf(before, ParseMetrics("a{s=\"1\"} 0\na{s=\"2\"} 0\n"), "a"), Optional(0.0));
  EXPECT_THAT(GrowthOf(before, ParseMetrics("a{s=\"1\"} 100\na{s=\"2\"} 10\na{s=\"3\"} 4\n"), "a"),
              Optional(4.0))
      << "a new series counts from 0";
  EXPECT_EQ(GrowthOf(before, {}, "a"), std::nullopt);
}

std::string Buckets(int fast, int slow, int all, const std::string& route = "") {
  const auto line = [&](const char* edge, int count) {
    return "h_bucket{" + route + "le=\"" + edge + "\"} " + std::to_string(count) + "\n";
  };
  return line("0.001", fast) + line("0.1", slow) + line("+Inf", all);
}

TEST(MetricsText, QuantileCoversTheTimeBetweenTheReadings) {
  const auto before = ParseMetrics(Buckets(1000, 1000, 1000));
  const auto after = ParseMetrics(Buckets(1010, 1090, 1100));
  EXPECT_THAT(QuantileOf(before, after, "h", 0.05), Optional(0.001));
  EXPECT_THAT(QuantileOf(before, after, "h", 0.5), Optional(0.1));
  EXPECT_THAT(QuantileOf(before, after, "h", 0.99), Optional(0.1)) << "the last finite edge";
  EXPECT_EQ(QuantileOf(before, before, "h", 0.5), std::nullopt) << "nothing happened";
  EXPECT_EQ(QuantileOf(before, {}, "h", 0.5), std::nullopt);
  EXPECT_THAT(QuantileOf(before, ParseMetrics(Buckets(4, 5, 5)), "h", 0.5), Optional(0.001))
      << "counter reset";
}

TEST(MetricsText, QuantileCoversAllSeries) {
  const auto after = ParseMetrics(Buckets(10, 10, 10, "r=\"a\",") + Buckets(0, 90, 90, "r=\"b\","));
  EXPECT_THAT(QuantileOf({}, after, "h", 0.1), Optional(0.001));
  EXPECT_THAT(QuantileOf({}, after, "h", 0.11), Optional(0.1));
}

}  // namespace
}  // namespace maejin::cli
