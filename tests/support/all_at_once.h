// Many fans who ask a waiting room at one moment.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

// What `ask(i)` is told, for every i below `count`.
template <class Ask>
std::vector<std::optional<Outcome<PlaceAnswer>>> AllAtOnce(std::size_t count, Ask ask) {
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(count);
  std::vector<Task<void>> tasks;
  for (PlaceNumber i = 0; i < count; ++i) tasks.push_back(StoreResult(ask(i), told[i]));
  RunTasks(std::move(tasks));
  return told;
}

// Fifty who ask at once are asked for in fewer batches than these, also where a busy machine tears some of them apart.
inline constexpr int kFewBatches = 12;

inline std::string FanName(PlaceNumber i) { return "fan" + std::to_string(i); }

}  // namespace maejin::redis
