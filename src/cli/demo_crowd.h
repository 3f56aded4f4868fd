// All simulated fans of one concert, on a thread of their own.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cli/demo_fan.h"

namespace maejin::cli {

class Crowd {
 public:
  // `fans` people who arrive one after the other within `arriving`.
  Crowd(Stage stage, int fans, Millis arriving);
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
  std::vector<std::unique_ptr<Fan>> fans_;
  std::thread thread_;  // last: runs on everything above
};

}  // namespace maejin::cli
