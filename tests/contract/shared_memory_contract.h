// The contract of every database behind rooms and boards on Redis: it stores admissions, rooms, the history
// of the rankings and the series of sales. A database provides a test bed; shared_memory_contract.cpp has
// the tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>

#include "store/admission_log.h"
#include "store/ranking_history.h"
#include "store/sale_series.h"

namespace maejin {

class SharedMemoryBed {
 public:
  virtual ~SharedMemoryBed() = default;
  virtual AdmissionLog& admissions() = 0;
  virtual RankingHistory& history() = 0;
  virtual SaleSeries& series() = 0;
  // Stores a sell-out as booking does, without its event.
  virtual void SellOut(const ConcertSoldOut& concert, std::span<const ScheduleSoldOut> schedules) = 0;
  // Restarts everything on the same data, without an orderly shutdown.
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
