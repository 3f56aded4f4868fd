// The contract of every ranking store. A store provides a test bed; ranking_contract.cpp has the tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "store/ranking_store.h"

namespace maejin {

// A store with its database, composed as in the product.
class RankingBed {
 public:
  virtual ~RankingBed() = default;
  virtual RankingStore& store() = 0;
  // Stores the facts durably and delivers their events to the store, as booking does.
  virtual void Record(std::span<const BookingEvent> events) = 0;
  // Restarts the store on the same data, without an orderly shutdown.
  virtual void Restart(Time now) = 0;
};

struct RankingBedFactory {
  std::string name;
  std::function<std::unique_ptr<RankingBed>(Time now, TimeZone zone)> make_in;

  std::unique_ptr<RankingBed> make(Time now) const { return make_in(now, *TimeZone::Find("Asia/Seoul")); }
};

class RankingContract : public testing::TestWithParam<RankingBedFactory> {};

}  // namespace maejin
