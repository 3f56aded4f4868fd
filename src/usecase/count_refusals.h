// Counts what customers were refused, by code, for /metrics. Thread-safe.
#pragma once

#include <vector>

#include "base/metrics.h"
#include "domain/refusal.h"

namespace maejin {

class CountRefusals {
 public:
  // `metrics` outlives it.
  CountRefusals(Metrics& metrics, const std::string& name, const std::string& help) {
    for (auto i = 0; i <= static_cast<int>(Refusal::kNotRanked); ++i) {
      counters_.push_back(
          &metrics.AddCounter(name, help, {{"code", std::string(Code(static_cast<Refusal>(i)))}}));
    }
  }

  // Returns it, so that a refusal is counted where it is returned.
  const Refused& operator()(const Refused& refused) {
    counters_[static_cast<std::size_t>(refused.why)]->Add();
    return refused;
  }

 private:
  std::vector<Counter*> counters_;  // by Refusal
};

}  // namespace maejin
