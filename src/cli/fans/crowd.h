// All simulated fans of one concert, on a thread of their own.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cli/fans/fan.h"

namespace maejin::cli {

// Arrival times of `fans` fans, evenly spread over `period`.
std::vector<Millis> Arrivals(int fans, Millis period);

class Crowd {
 public:
  // Starts one fan per arrival time, relative to now, numbered from `first`. `observer`, if not null,
  // outlives the crowd.
  Crowd(SimulatedSale sale, const std::vector<Millis>& arrivals, ExchangeObserver* observer = nullptr,
        int first = 1);
  // Stops all fans and waits for them.
  ~Crowd();

  const CrowdCounts& counts() const { return counts_; }
  const SimulatedSale& sale() const { return sale_; }
  // Tells the fans that the concert is sold out, so that they stop trying.
  void MarkSoldOut() { counts_.sold_out = true; }

 private:
  SimulatedSale sale_;
  CrowdCounts counts_;
  std::atomic<bool> stopping_{false};
  boost::asio::io_context context_{1};
  FanClient client_;
  std::vector<std::unique_ptr<Fan>> fans_;
  std::thread thread_;  // last: uses all other members
};

}  // namespace maejin::cli
