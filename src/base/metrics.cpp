#include "base/metrics.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace maejin {

std::size_t internal::MetricShard() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t shard = next.fetch_add(1) % kMetricShards;
  return shard;
}

std::uint64_t Counter::Value() const {
  std::uint64_t sum = 0;
  for (const auto& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
  return sum;
}

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)) {
  if (bounds_.size() > kMaxBounds || !std::is_sorted(bounds_.begin(), bounds_.end())) std::abort();
}

void Histogram::Observe(double value) {
  auto& shard = shards_[internal::MetricShard()];
  std::size_t bucket = 0;
  while (bucket < bounds_.size() && value > bounds_[bucket]) ++bucket;
  shard.counts[bucket].fetch_add(1, std::memory_order_relaxed);
  // Two threads rarely share a shard, so the exchange nearly always succeeds.
  double sum = shard.sum.load(std::memory_order_relaxed);
  while (!shard.sum.compare_exchange_weak(sum, sum + value, std::memory_order_relaxed)) {
  }
}

std::vector<double> LatencyBounds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 10};
}

struct Metrics::Family {
  struct Series {
    MetricLabels labels;
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Histogram> histogram;
    std::function<double()> read;
  };
  std::string name;
  std::string help;
  prometheus::MetricType type = prometheus::MetricType::Untyped;
  std::vector<Series> series;

  Series& Add(prometheus::MetricType kind, MetricLabels labels) {
    type = kind;
    series.push_back({std::move(labels), nullptr, nullptr, nullptr});
    return series.back();
  }
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Family& Metrics::FamilyOf(const std::string& name, const std::string& help) {
  for (const auto& family : families_) {
    if (family->name == name) return *family;
  }
  families_.push_back(std::make_unique<Family>());
  families_.back()->name = name;
  families_.back()->help = help;
  return *families_.back();
}

Counter& Metrics::AddCounter(const std::string& name, const std::string& help, MetricLabels labels) {
  const std::lock_guard lock(mutex_);
  auto& series = FamilyOf(name, help).Add(prometheus::MetricType::Counter, std::move(labels));
  series.counter = std::make_unique<Counter>();
  return *series.counter;
}

Histogram& Metrics::AddHistogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                                 MetricLabels labels) {
  const std::lock_guard lock(mutex_);
  auto& series = FamilyOf(name, help).Add(prometheus::MetricType::Histogram, std::move(labels));
  series.histogram = std::make_unique<Histogram>(std::move(bounds));
  return *series.histogram;
}

void Metrics::AddGaugeOf(const std::string& name, const std::string& help, std::function<double()> read,
                         MetricLabels labels) {
  const std::lock_guard lock(mutex_);
  FamilyOf(name, help).Add(prometheus::MetricType::Gauge, std::move(labels)).read = std::move(read);
}

void Metrics::AddCounterOf(const std::string& name, const std::string& help, std::function<double()> read,
                           MetricLabels labels) {
  const std::lock_guard lock(mutex_);
  FamilyOf(name, help).Add(prometheus::MetricType::Counter, std::move(labels)).read = std::move(read);
}

void Metrics::AddFamiliesOf(std::function<std::vector<MetricFamily>()> read) {
  const std::lock_guard lock(mutex_);
  collectors_.push_back(std::move(read));
}

namespace {

prometheus::MetricFamily Converted(const MetricFamily& family) {
  prometheus::MetricFamily out;
  out.name = family.name;
  out.help = family.help;
  const bool counter = family.type == MetricFamily::Type::kCounter;
  out.type = counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
  for (const auto& sample : family.samples) {
    auto& metric = out.metric.emplace_back();
    for (const auto& [label, value] : sample.labels) metric.label.push_back({label, value});
    (counter ? metric.counter.value : metric.gauge.value) = sample.value;
  }
  return out;
}

}  // namespace

std::optional<double> QuantileBetween(const HistogramCounts& before, const HistogramCounts& now,
                                      double quantile) {
  std::vector<std::uint64_t> fresh(now.counts);
  for (std::size_t i = 0; i < fresh.size() && i < before.counts.size(); ++i) fresh[i] -= before.counts[i];
  std::uint64_t total = 0;
  for (const auto count : fresh) total += count;
  if (total == 0 || now.bounds.empty()) return {};
  const auto wanted = quantile * static_cast<double>(total);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < now.bounds.size(); ++i) {
    seen += fresh[i];
    if (static_cast<double>(seen) >= wanted) return now.bounds[i];
  }
  return now.bounds.back();
}

HistogramCounts Metrics::CountsOf(const std::string& histogram) const {
  HistogramCounts sum;
  const std::lock_guard lock(mutex_);
  for (const auto& family : families_) {
    if (family->name != histogram) continue;
    for (const auto& series : family->series) {
      if (!series.histogram) continue;
      sum.bounds = series.histogram->bounds_;
      sum.counts.resize(sum.bounds.size() + 1);
      for (std::size_t i = 0; i < sum.counts.size(); ++i)
        for (const auto& shard : series.histogram->shards_)
          sum.counts[i] += shard.counts[i].load(std::memory_order_relaxed);
    }
  }
  return sum;
}

std::string Metrics::Text() const {
  const auto histogram_of = [](const Histogram& histogram) {
    prometheus::ClientMetric::Histogram out;
    double sum = 0;
    for (std::size_t bucket = 0; bucket <= histogram.bounds_.size(); ++bucket) {
      for (const auto& shard : histogram.shards_) {
        out.sample_count += shard.counts[bucket].load(std::memory_order_relaxed);
      }
      const bool last = bucket == histogram.bounds_.size();
      out.bucket.push_back(
          {out.sample_count, last ? std::numeric_limits<double>::infinity() : histogram.bounds_[bucket]});
    }
    for (const auto& shard : histogram.shards_) sum += shard.sum.load(std::memory_order_relaxed);
    out.sample_sum = sum;
    return out;
  };
  // Absent: a labelled series that never counted anything.
  const auto sample_of = [&](const Family& family, const Family::Series& series) {
    std::optional<prometheus::ClientMetric> sample;
    sample.emplace();
    for (const auto& [label, value] : series.labels) sample->label.push_back({label, value});
    double value = series.read ? series.read() : 0;
    if (series.counter) value = static_cast<double>(series.counter->Value());
    if (series.histogram) sample->histogram = histogram_of(*series.histogram);
    if (family.type == prometheus::MetricType::Counter) sample->counter.value = value;
    if (family.type == prometheus::MetricType::Gauge) sample->gauge.value = value;
    const bool silent = !series.labels.empty() && ((series.counter && value == 0) ||
                                                   (series.histogram && sample->histogram.sample_count == 0));
    if (silent) sample.reset();
    return sample;
  };
  std::vector<prometheus::MetricFamily> out;
  const std::lock_guard lock(mutex_);
  for (const auto& family : families_) {
    prometheus::MetricFamily collected;
    collected.name = family->name;
    collected.help = family->help;
    collected.type = family->type;
    for (const auto& series : family->series) {
      if (auto sample = sample_of(*family, series)) collected.metric.push_back(std::move(*sample));
    }
    if (!collected.metric.empty()) out.push_back(std::move(collected));
  }
  for (const auto& read : collectors_) {
    for (const auto& family : read()) {
      if (!family.samples.empty()) out.push_back(Converted(family));
    }
  }
  return prometheus::TextSerializer().Serialize(out);
}

}  // namespace maejin
