// Metrics for Prometheus. Names have the prefix `maejin_`, base units, and `_total` for counters. Register
// each metric once at the start and keep the reference: counting then takes a few nanoseconds without a lock.
// prometheus-cpp stays behind this header.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace maejin {

namespace internal {
inline constexpr std::size_t kMetricShards = 8;
// The shard of the calling thread. Threads rarely share a shard, and so rarely share a cache line.
std::size_t MetricShard();
}  // namespace internal

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Thread-safe, like all classes below.
class Counter {
 public:
  void Add(std::uint64_t count = 1) {
    shards_[internal::MetricShard()].value.fetch_add(count, std::memory_order_relaxed);
  }
  std::uint64_t Value() const;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> value{0};
  };
  std::array<Shard, internal::kMetricShards> shards_;
};

class Histogram {
 public:
  // Ascending upper bounds, at most kMaxBounds; larger values count in +Inf.
  static constexpr std::size_t kMaxBounds = 14;
  explicit Histogram(std::vector<double> bounds);
  void Observe(double value);

 private:
  friend class Metrics;
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, kMaxBounds + 1> counts{};
    std::atomic<double> sum{0};
  };
  std::vector<double> bounds_;
  std::array<Shard, internal::kMetricShards> shards_;
};

// Seconds, from a tenth of a millisecond to ten seconds: request latencies.
std::vector<double> LatencyBounds();

// The observations of histograms with the same bounds, one count for each bound and one above the last.
struct HistogramCounts {
  std::vector<double> bounds;
  std::vector<std::uint64_t> counts;
};
// The upper bound of the bucket that holds this quantile of the observations between two readings; for a
// quantile above the last bound, the last bound. Absent: there was no observation.
std::optional<double> QuantileBetween(const HistogramCounts& before, const HistogramCounts& now,
                                      double quantile);

// A family with series that change between scrapes, e.g. the busiest rooms.
struct MetricFamily {
  enum class Type : std::uint8_t { kCounter, kGauge };
  std::string name;
  std::string help;
  Type type = Type::kGauge;
  struct Sample {
    MetricLabels labels;
    double value = 0;
  };
  std::vector<Sample> samples;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // The same name with other labels is another series of the family. The references live as long as the
  // object.
  Counter& AddCounter(const std::string& name, const std::string& help, MetricLabels labels = {});
  Histogram& AddHistogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                          MetricLabels labels = {});
  // `read` is called at every scrape, from any thread, as long as the object lives.
  void AddGaugeOf(const std::string& name, const std::string& help, std::function<double()> read,
                  MetricLabels labels = {});
  void AddCounterOf(const std::string& name, const std::string& help, std::function<double()> read,
                    MetricLabels labels = {});

  // Like AddGaugeOf(), for whole families, which have no other series.
  void AddFamiliesOf(std::function<std::vector<MetricFamily>()> read);

  // The sum over all labels of this histogram; empty if no histogram has that name.
  HistogramCounts CountsOf(const std::string& histogram) const;

  // The text format of Prometheus. Labelled series that never counted anything are omitted.
  std::string Text() const;

 private:
  struct Family;
  Family& FamilyOf(const std::string& name, const std::string& help);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Family>> families_;                       // guarded by mutex_
  std::vector<std::function<std::vector<MetricFamily>()>> collectors_;  // guarded by mutex_
};

}  // namespace maejin
