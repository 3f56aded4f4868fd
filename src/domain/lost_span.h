// A span of time whose effects a restore from a backup threw away.
#pragma once

#include <algorithm>
#include <span>

#include "base/time.h"

namespace maejin {

struct LostSpan {
  Time from;  // when the backup was taken
  Time to;    // when it was restored
};

// Whether a restore may have lost the admission of a pass that was issued at `at`. A pass is a JWT, so `at`
// is in whole seconds.
inline bool IsLost(std::span<const LostSpan> spans, Time at) {
  return std::any_of(spans.begin(), spans.end(), [at](const LostSpan& span) {
    return at >= std::chrono::floor<std::chrono::seconds>(span.from) && at < span.to;
  });
}

}  // namespace maejin
