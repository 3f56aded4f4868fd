// Calls a function at an interval on its own thread: expiries, admissions, schedulers.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/time.h"

namespace maejin {

class Ticker {
 public:
  // Calls do not overlap: a call that takes longer than the interval delays the next.
  Ticker(Millis interval, std::function<void()> tick);
  // Waits for a running call.
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Loop(Millis interval, const std::function<void()>& tick);

  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace maejin
