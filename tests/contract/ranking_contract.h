// What every ranking store must do, whatever it is made of. A store brings a bed; ranking_contract.cpp asks
// the questions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "store/ranking_store.h"

namespace maejin {

// A store with the authority behind it, as the product puts them together.
class RankingBed {
 public:
  virtual ~RankingBed() = default;
  virtual RankingStore& store() = 0;
  // What booking does: makes the facts durable and lets their events reach the store.
  virtual void Record(std::span<const BookingEvent> events) = 0;
  // Stops the store without a word and starts another on the same data.
  virtual void Restart(Time now) = 0;
};

struct RankingBedFactory {
  std::string name;
  std::function<std::unique_ptr<RankingBed>(Time now, TimeZone zone)> make_in;

  std::unique_ptr<RankingBed> make(Time now) const { return make_in(now, *TimeZone::Find("Asia/Seoul")); }
};

class RankingContract : public testing::TestWithParam<RankingBedFactory> {};

}  // namespace maejin
