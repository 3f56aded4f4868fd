// Reads what /metrics says, and compares two readings. Pure: whoever asks brings the text.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace maejin::cli {

// The series of one name, by their labels as they are written: `method="GET",status="200"`.
using MetricSeries = std::map<std::string, double, std::less<>>;
using MetricsText = std::map<std::string, MetricSeries, std::less<>>;

// Comments, and lines that are no sample, are passed over.
MetricsText ParseMetrics(std::string_view text);

// The value of one label, without its escapes; absent where there is none of this name.
std::optional<std::string> LabelOf(std::string_view labels, std::string_view name);

// Which series of a name are meant.
using SeriesFilter = std::function<bool(std::string_view labels)>;
bool EverySeries(std::string_view labels);

// Absent where nobody tells of that name.
std::optional<double> SumOf(const MetricsText& metrics, std::string_view name,
                            const SeriesFilter& filter = EverySeries);

// What the counters of a name counted between two readings, never less than nothing: one that stands lower than before
// began anew in between, and what it says now is what it counted since. Absent as SumOf(after).
std::optional<double> GrowthOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                               const SeriesFilter& filter = EverySeries);

// The upper edge of the bucket in which the quantile (0…1) lies of what the histograms of a name saw between two
// readings; the last finite edge where it lies above that. Absent where they saw nothing.
std::optional<double> QuantileOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                                 double quantile);

}  // namespace maejin::cli
