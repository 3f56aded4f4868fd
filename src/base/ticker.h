// Calls a function at an interval, on a thread of its own, until it is destroyed: expiries, admissions, schedulers.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/time.h"

namespace maejin {

class Ticker {
 public:
  // `tick` never runs twice at once; one that takes longer than the interval delays the next.
  Ticker(Millis interval, std::function<void()> tick);
  // Returns after a running tick has ended.
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
