// What every database must do for rooms and boards that lie in Redis: remember admissions and rooms, and tell
// the history of the rankings. A database brings a bed; shared_memory_contract.cpp asks the questions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>

#include "store/admission_log.h"
#include "store/ranking_history.h"

namespace maejin {

class SharedMemoryBed {
 public:
  virtual ~SharedMemoryBed() = default;
  virtual AdmissionLog& admissions() = 0;
  virtual RankingHistory& history() = 0;
  // What booking does with the payment that sells the last seat; without an event.
  virtual void SellOut(const ConcertSoldOut& concert, std::span<const ScheduleSoldOut> schedules) = 0;
  // Stops everything without a word and opens it again on the same data.
  virtual void Restart() = 0;
};

struct SharedMemoryBedFactory {
  const char* name;
  std::function<std::unique_ptr<SharedMemoryBed>()> make;
};

class SharedMemoryContract : public testing::TestWithParam<SharedMemoryBedFactory> {
 protected:
  std::unique_ptr<SharedMemoryBed> bed_ = GetParam().make();
};

}  // namespace maejin
