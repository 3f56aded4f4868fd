// Concurrent requests to a waiting room.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

// The answers of ask(0) … ask(count - 1), sent concurrently.
template <class Ask>
std::vector<std::optional<Outcome<PlaceAnswer>>> AllAtOnce(std::size_t count, Ask ask) {
  std::vector<std::optional<Outcome<PlaceAnswer>>> told(count);
  std::vector<Task<void>> tasks;
  for (PlaceNumber i = 0; i < count; ++i) tasks.push_back(StoreResult(ask(i), told[i]));
  RunTasks(std::move(tasks));
  return told;
}

// The maximum of batches for fifty concurrent requests, with a margin for a busy machine.
inline constexpr int kFewBatches = 12;

inline std::string FanName(PlaceNumber i) { return "fan" + std::to_string(i); }

}  // namespace maejin::redis
