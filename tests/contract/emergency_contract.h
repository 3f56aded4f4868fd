// The contract of every store of emergency controls. A database provides a test bed; emergency_contract.cpp
// has the tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/emergency_store.h"

namespace maejin {

class EmergencyBed {
 public:
  virtual ~EmergencyBed() = default;
  virtual EmergencyStore& store() = 0;
  // Restarts everything on the same data, without an orderly shutdown.
  virtual void Restart(Time now) = 0;
  // The actions in the audit log, the oldest first.
  virtual std::vector<std::string> Audit() = 0;
};

struct EmergencyBedFactory {
  const char* name;
  std::function<std::unique_ptr<EmergencyBed>()> make;
};

class EmergencyContract : public testing::TestWithParam<EmergencyBedFactory> {
 protected:
  std::unique_ptr<EmergencyBed> bed_ = GetParam().make();
};

}  // namespace maejin
