// All simulated fans of one concert, on a thread of their own.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cli/fans/fan.h"

namespace maejin::cli {

// When each of `fans` people comes who arrive one after the other within `period`.
std::vector<Millis> Arrivals(int fans, Millis period);

class Crowd {
 public:
  // One fan for each arrival, which is told from now on; they are numbered from `first`. The witness, where there is
  // one, hears them until the crowd is destroyed.
  Crowd(Stage stage, const std::vector<Millis>& arrivals, Witness* witness = nullptr, int first = 1);
  // Sends everybody home and waits for them.
  ~Crowd();

  const CrowdCounts& counts() const { return counts_; }
  const Stage& stage() const { return stage_; }
  // The sell-out was seen elsewhere: nobody needs to try on.
  void TellSoldOut() { counts_.sold_out = true; }

 private:
  Stage stage_;
  CrowdCounts counts_;
  std::atomic<bool> stopping_{false};
  boost::asio::io_context context_{1};
  FanClient client_;
  std::vector<std::unique_ptr<Fan>> fans_;
  std::thread thread_;  // last: runs on everything above
};

}  // namespace maejin::cli
