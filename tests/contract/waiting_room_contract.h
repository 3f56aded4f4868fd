// The contract of every store of waiting rooms. A store provides a test bed; waiting_room_contract.cpp tests
// it through the port.
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
  // Restarts the store on the same data, without an orderly shutdown.
  virtual void Restart(Time now) = 0;
};

struct WaitingRoomBedFactory {
  std::string name;
  std::function<std::unique_ptr<WaitingRoomBed>(Time now)> make;
};

class WaitingRoomContract : public testing::TestWithParam<WaitingRoomBedFactory> {};

}  // namespace maejin
