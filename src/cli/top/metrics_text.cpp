#include "cli/top/metrics_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/take_until.h"

namespace maejin::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Parses a Prometheus number; absent for "NaN" and invalid text.
std::optional<double> MetricValue(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || std::isnan(value)) return {};
  return value;
}

bool IsNameCharacter(char c) { return IsLetterOrDigit(c) || c == '_' || c == ':'; }

// The position of the closing quote of the value that begins at `from`, or npos.
std::size_t ClosingQuote(std::string_view text, std::size_t from) {
  for (auto i = from; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

// Removes name="value" and its comma from the start of `labels`; false if there is none.
bool TakeLabel(std::string_view& labels, std::string_view& name, std::string_view& value) {
  const auto equals = labels.find("=\"");
  if (equals == std::string_view::npos || equals == 0) return false;
  name = labels.substr(0, equals);
  for (const char c : name) {
    if (!IsNameCharacter(c)) return false;
  }
  const auto end = ClosingQuote(labels, equals + 2);
  if (end == std::string_view::npos) return false;
  value = labels.substr(equals + 2, end - equals - 2);
  labels.remove_prefix(end + 1);
  if (labels.starts_with(',')) labels.remove_prefix(1);
  return true;
}

// Removes the labels {…} from the start of `line`; false if they are malformed.
bool TakeLabels(std::string_view& line, std::string& labels) {
  if (!line.starts_with('{')) return true;
  auto rest = line.substr(1);
  std::string_view name;
  std::string_view value;
  while (!rest.empty() && rest.front() != '}') {
    if (!TakeLabel(rest, name, value)) return false;
  }
  if (rest.empty()) return false;
  labels = std::string(line.substr(1, line.size() - rest.size() - 1));
  line = rest.substr(1);
  return true;
}

void ReadSample(std::string_view line, MetricsText& metrics) {
  std::size_t end = 0;
  while (end < line.size() && IsNameCharacter(line[end])) ++end;
  if (end == 0 || IsDigit(line[0])) return;
  const auto name = line.substr(0, end);
  line.remove_prefix(end);
  std::string labels;
  if (!TakeLabels(line, labels)) return;
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == 0 || begin == std::string_view::npos) return;
  line.remove_prefix(begin);
  // An optional timestamp after the value is ignored.
  const auto value = MetricValue(line.substr(0, line.find_first_of(kBlanks)));
  if (value) metrics[std::string(name)][labels] = *value;
}

// The increase of one series since `before`; a lower value means that the counter was reset.
double Growth(const MetricsText& before, std::string_view name, std::string_view labels, double now) {
  const auto family = before.find(name);
  if (family == before.end()) return now;
  const auto series = family->second.find(labels);
  if (series == family->second.end() || series->second > now) return now;
  return now - series->second;
}

}  // namespace

MetricsText ParseMetrics(std::string_view text) {
  MetricsText metrics;
  while (!text.empty()) {
    const auto line = TakeUntil(text, '\n');
    if (!line.starts_with('#')) ReadSample(line, metrics);
  }
  return metrics;
}

std::optional<std::string> LabelOf(std::string_view labels, std::string_view name) {
  std::string_view label;
  std::string_view value;
  while (!labels.empty() && TakeLabel(labels, label, value)) {
    if (label == name) return Unescaped(value);
  }
  return {};
}

bool EverySeries(std::string_view) { return true; }

std::optional<double> SumOf(const MetricsText& metrics, std::string_view name, const SeriesFilter& filter) {
  return GrowthOf({}, metrics, name, filter);
}

std::optional<double> GrowthOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                               const SeriesFilter& filter) {
  const auto family = after.find(name);
  if (family == after.end()) return {};
  double sum = 0;
  for (const auto& [labels, value] : family->second) {
    if (filter(labels)) sum += Growth(before, name, labels, value);
  }
  return sum;
}

std::optional<double> QuantileOf(const MetricsText& before, const MetricsText& after, std::string_view name,
                                 double quantile) {
  const auto buckets = std::string(name) + "_bucket";
  const auto family = after.find(buckets);
  if (family == after.end()) return {};
  std::map<double, double> counts;  // cumulative, by upper edge
  for (const auto& [labels, value] : family->second) {
    const auto edge = MetricValue(LabelOf(labels, "le").value_or(""));
    if (edge) counts[*edge] += Growth(before, buckets, labels, value);
  }
  if (counts.empty() || counts.rbegin()->second <= 0) return {};
  double answer = 0;
  for (const auto& [edge, count] : counts) {
    if (std::isinf(edge)) break;
    answer = edge;
    if (count >= quantile * counts.rbegin()->second) break;
  }
  return answer;
}

}  // namespace maejin::cli
