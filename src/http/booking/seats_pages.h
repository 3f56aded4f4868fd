// A cache of rendered seat maps: one shared text per version of a schedule, whatever the number of readers.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "usecase/read_concerts.h"

namespace maejin::http {

enum class SeatsForm : std::uint8_t { kFull, kCompact };

struct SeatsPage {
  std::uint64_t version = 0;
  std::string body;
};

// Reuses the buffer of a page without readers for the next page: allocating megabytes costs more than writing them.
// Thread-safe.
class SeatsPaper {
 public:
  std::string Take();
  void GiveBack(std::string text);

 private:
  std::mutex mutex_;
  std::string text_;  // guarded by mutex_
};

// Thread-safe.
class SeatsPages {
 public:
  explicit SeatsPages(const ReadSeats& read) : read_(read) {}

  // Never older than the schedule was when the call began. Refuses: kScheduleNotFound.
  Outcome<std::shared_ptr<const SeatsPage>> Get(ScheduleId schedule, SeatsForm form);

 private:
  struct Slot {
    std::mutex mutex;  // held while the page is rendered, so that it is rendered once
    std::shared_ptr<const SeatsPage> page[2];
    std::shared_ptr<SeatsPaper> paper[2] = {std::make_shared<SeatsPaper>(), std::make_shared<SeatsPaper>()};
  };

  const ReadSeats& read_;
  std::mutex mutex_;
  std::unordered_map<ScheduleId, std::unique_ptr<Slot>> slots_;  // guarded by mutex_
};

}  // namespace maejin::http
