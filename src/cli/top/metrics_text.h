// Parses the text of /metrics and compares two readings. Pure functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace maejin::cli {

// The series of one metric, by their label text: `method="GET",status="200"`.
using MetricSeries = std::map<std::string, double, std::less<>>;
using MetricsText = std::map<std::string, MetricSeries, std::less<>>;

// Ignores comments and malformed text lines.
MetricsText ParseMetrics(std::string_view text);

// The unescaped value of one label; absent if there is no such label.
std::optional<std::string> LabelOf(std::string_view labels, std::string_view name);

// Selects series of a metric by their labels.
using SeriesFilter = std::function<bool(std::string_view labels)>;
bool EverySeries(std::string_view labels);

// The sum over the selected series; absent if the metric does not exist.
std::optional<double> SumOf(const MetricsText& metrics, std::string_view name,
                            const SeriesFilter& filter = EverySeries);

// The increase of a counter between two readings; never negative. A lower value means a reset, and counts
// from 0. Absent if `after` does not have the metric.
std::optional<double> GrowthOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                               const SeriesFilter& filter = EverySeries);

// The upper bucket edge of a histogram's quantile (0…1) between two readings; at most the last finite edge.
// Absent if there were no observations.
std::optional<double> QuantileOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                                 double quantile);

}  // namespace maejin::cli
