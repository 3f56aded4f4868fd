// What every store of waiting rooms must do, whatever it is made of. A store brings a bed;
// waiting_room_contract.cpp asks the questions, through the port alone.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "store/waiting_room_store.h"

namespace maejin {

class WaitingRoomBed {
 public:
  virtual ~WaitingRoomBed() = default;
  virtual WaitingRoomStore& store() = 0;
  // Stops the store without a word and starts another on the same data.
  virtual void Restart(Time now) = 0;
};

struct WaitingRoomBedFactory {
  std::string name;
  std::function<std::unique_ptr<WaitingRoomBed>(Time now)> make;
};

class WaitingRoomContract : public testing::TestWithParam<WaitingRoomBedFactory> {};

}  // namespace maejin
