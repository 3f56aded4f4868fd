// Whether this node, and a sale on it, are ready: the checks of `maejin doctor`, made by the running server.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "app/back_ends.h"
#include "config/config.h"
#include "domain/finding.h"

namespace maejin::app {

// Thread-safe. The checks block, so they run on a thread of their own, one at a time.
class Readiness {
 public:
  // The ports outlive it.
  Readiness(const config::Config& config, BackEnds::Ports ports) : config_(config), ports_(ports) {}
  ~Readiness() { Stop(); }

  // The findings about this node; with `sale`, those about that concert come first. Refuses:
  // kConcertNotFound, kUnavailable.
  Task<Outcome<std::vector<Finding>>> Examine(std::optional<ConcertId> sale);
  // Waits for a running check. Examine() refuses with kUnavailable from then on.
  void Stop();

 private:
  const config::Config config_;
  const BackEnds::Ports ports_;
  std::atomic<bool> stopped_{false};
  boost::asio::thread_pool thread_{1};
};

}  // namespace maejin::app
